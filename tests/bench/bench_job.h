#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/objectives/problems.h"

namespace haichi::bench {

using testing_problems::Posed;

/// A job made when first asked for, so that a benchmark that is filtered out costs nothing.
class LazyJob {
  public:
    explicit LazyJob(std::function<Posed()> make) : make_(std::move(make)) {}

    const Posed& get() {
        if (!job_) job_.emplace(make_());
        return *job_;
    }

  private:
    std::function<Posed()> make_;
    std::optional<Posed> job_;
};

using SharedJob = std::shared_ptr<LazyJob>;

/// A size at which the tables and the annealing loop are measured.
struct SizedJob {
    std::string size;  ///< "nodes:96"
    SharedJob job;
};

/// 96 nodes, a third of them idle; 768, all in use, routes in a table; 12,288, distances and routes computed.
std::vector<SizedJob> sized_jobs();

/// Shuffled stencils on as many nodes of a Tofu: long routes, nothing in tables, beyond the near caches.
std::vector<SizedJob> large_jobs();

/// A stencil of 4,096 ranks with shuffled numbers on a torus of as many nodes.
SharedJob shuffled_stencil_job();

// One function per file of benchmarks; each registers its own.
void register_annealing(const std::vector<SizedJob>& jobs, const std::vector<SizedJob>& large);
void register_tables(const std::vector<SizedJob>& jobs, const SharedJob& bisected);
void register_inputs_outputs();
void register_packets();

}  // namespace haichi::bench
