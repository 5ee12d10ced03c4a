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

/// A job that is created at its first use, so that a benchmark excluded by the filter costs nothing.
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

/// A job size at which the tables and the annealing loop are measured.
struct SizedJob {
    std::string size;  ///< "nodes:96"
    SharedJob job;
};

/// Jobs on 96 nodes, of which a third are idle; on 768 nodes, all in use, with routes in a table; and on 12,288 nodes
/// with computed distances and routes.
std::vector<SizedJob> sized_jobs();

/// Stencils with shuffled ranks, one rank per node of a Tofu network. Routes are long, nothing is in tables, and the
/// data exceeds the small caches.
std::vector<SizedJob> large_jobs();

/// A stencil of 4,096 ranks in shuffled order on a torus of 4,096 nodes.
SharedJob shuffled_stencil_job();

// One function per benchmark file. It registers the benchmarks of the file.
void register_annealing(const std::vector<SizedJob>& jobs, const std::vector<SizedJob>& large);
void register_tables(const std::vector<SizedJob>& jobs, const SharedJob& bisected);
void register_inputs_outputs();
void register_packets();

}  // namespace haichi::bench
