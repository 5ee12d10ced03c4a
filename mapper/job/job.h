#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/reading.h"
#include "mapper/job/job_spec.h"
#include "mapper/job/loaded_traffic.h"
#include "mapper/rankmap/hosts.h"
#include "mapper/rankmap/rankmap.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// What of a job its machine gives it: the nodes, and their names where they are known.
struct AllocatedNodes {
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const Allocation> allocation;
    std::shared_ptr<const HostNames> hosts;  ///< null: not known

    /// Of maps with so many ranks; 0: as many as they have.
    [[nodiscard]] RankMapContext rank_maps(std::int32_t rank_count) const {
        return {.allocation = allocation.get(), .rank_count = rank_count, .hosts = hosts.get()};
    }
};

/// `reading` is told, here and below, what was recognised, what tables are kept, and which files no user has named.
std::shared_ptr<const Machine> load_machine(const JobSpec& spec, const Reading& reading = {});
/// The same spec with its machine and its traffic read: they are shared by all jobs that are made of it.
JobSpec loaded(const JobSpec& spec, const Reading& reading = {});
/// The nodes of a job whose traffic does not matter.
AllocatedNodes load_nodes(const JobSpec& spec, const Reading& reading = {});

/// A job's messages on its network, and on its logical torus where it has one.
struct JobProblem {
    const std::optional<Network> logical;
    Problem problem;

    JobProblem(const Workload& workload, const Allocation& allocation, const Machine& machine);
    JobProblem(const JobProblem&) = delete;  ///< the problem refers to the logical torus
    JobProblem& operator=(const JobProblem&) = delete;
};

/// A job, loaded, its parts checked against each other: the only way in for searches, evaluations and simulations.
/// Immutable; copies share everything and cost nothing.
class Job {
  public:
    /// Throws the errors of the parts: InputError, OptionError, UnsupportedError.
    explicit Job(const JobSpec& spec, const Reading& reading = {});

    [[nodiscard]] const Machine& machine() const { return *parts_->nodes.machine; }
    [[nodiscard]] std::int32_t rank_count() const { return parts_->traffic->rank_count(); }
    /// Its communication sets; throws what LoadedTraffic::workload() throws.
    [[nodiscard]] const Workload& workload() const { return parts_->traffic->workload(); }
    /// As LoadedTraffic::warnings().
    [[nodiscard]] const std::vector<std::string>& set_warnings(const Log& log = {}) const {
        return parts_->traffic->warnings(log);
    }
    /// As LoadedTraffic::is_of_log().
    [[nodiscard]] bool is_of_log() const { return parts_->traffic->is_of_log(); }
    /// As LoadedTraffic::calls().
    [[nodiscard]] const JobLog* calls(const Log& log = {}) const { return parts_->traffic->calls(log); }
    [[nodiscard]] const Allocation& allocation() const { return *parts_->nodes.allocation; }
    [[nodiscard]] const HostNames* hosts() const { return parts_->nodes.hosts.get(); }
    /// The scheduler's own.
    [[nodiscard]] const Mapping& default_placement() const { return parts_->default_placement; }
    [[nodiscard]] RankMapContext rank_maps() const { return parts_->nodes.rank_maps(rank_count()); }

    /// Made when it is first asked for, and made again when nobody holds it any more: hold it where a search and an
    /// evaluation follow each other. From any thread.
    [[nodiscard]] std::shared_ptr<const JobProblem> problem(const Log& log = {}) const;

    /// The same job with every non-empty message of this size.
    [[nodiscard]] Job with_message_size(std::int64_t size_bytes) const;
    /// The same machine and default placement with other sets of as many ranks.
    [[nodiscard]] Job with_workload(Workload workload) const;

  private:
    struct Parts {
        AllocatedNodes nodes;
        std::shared_ptr<const LoadedTraffic> traffic;
        Mapping default_placement;
        mutable std::mutex mutex{};
        mutable std::weak_ptr<const JobProblem> problem{};  ///< under the mutex
    };

    Job(AllocatedNodes nodes, std::shared_ptr<const LoadedTraffic> traffic);

    std::shared_ptr<const Parts> parts_;
};

/// The same job on cuboids of these shapes, whatever the spec's own; the machine and the workload are loaded once.
std::vector<Job> jobs_of_shapes(const JobSpec& spec, std::span<const std::vector<std::int32_t>> shapes,
                                const Reading& reading = {});

}  // namespace haichi
