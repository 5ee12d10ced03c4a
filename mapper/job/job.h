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
#include "mapper/job/rank_balance.h"
#include "mapper/rankmap/hosts.h"
#include "mapper/rankmap/job_script.h"
#include "mapper/rankmap/rankmap.h"
#include "objectives/mapping.h"
#include "objectives/problem.h"

namespace haichi {

/// The machine's part of a job: the nodes, and their names if known.
struct AllocatedNodes {
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const Allocation> allocation;
    std::shared_ptr<const HostNames> hosts;   ///< null means unknown
    std::shared_ptr<const JobScript> script;  ///< null if the spec names none
    std::int32_t cores_per_rank = 0;          ///< 0 means not stated
    std::optional<double> imbalance{};        ///< JobSpec::imbalance

    /// Context for maps with `rank_count` ranks; 0 means any number of ranks.
    [[nodiscard]] RankMapContext rank_maps(std::int32_t rank_count) const {
        return {.allocation = allocation.get(),
                .rank_count = rank_count,
                .hosts = hosts.get(),
                .cores_per_rank = cores_per_rank,
                .holds_groups = imbalance.has_value(),
                .strictness = script && script->node ? script->node->value.strictness : ""};
    }
};

/// Loads the machine of the spec. Here and below, `reading` receives log lines about recognised formats and kept
/// tables. It also checks files that the user did not name.
std::shared_ptr<const Machine> load_machine(const JobSpec& spec, const Reading& reading = {});
/// Returns the spec with its machine and traffic loaded. All jobs made from it share these.
JobSpec loaded(const JobSpec& spec, const Reading& reading = {});
/// The nodes of a job, without its traffic.
AllocatedNodes load_nodes(const JobSpec& spec, const Reading& reading = {});

/// A job's messages on its network and, if it has one, on its logical torus.
struct JobProblem {
    const std::optional<Network> logical;
    Problem problem;

    JobProblem(const Workload& workload, const Allocation& allocation, const Machine& machine);
    JobProblem(const JobProblem&) = delete;  ///< deleted because the problem refers to the logical torus
    JobProblem& operator=(const JobProblem&) = delete;
};

/// A loaded job whose parts have been checked against each other, as searches, evaluations and simulations require.
/// Immutable. Copies share all data.
class Job {
  public:
    /// Throws the errors of the parts: InputError, OptionError, UnsupportedError. On a machine with PJM, throws
    /// OptionError if the nodes are not stated and the ranks need only a part of the machine.
    explicit Job(const JobSpec& spec, const Reading& reading = {});

    [[nodiscard]] const Machine& machine() const { return *parts_->nodes.machine; }
    [[nodiscard]] std::int32_t rank_count() const { return parts_->traffic->rank_count(); }
    /// The job's communication sets. Throws the errors of LoadedTraffic::workload().
    [[nodiscard]] const Workload& workload() const { return parts_->traffic->workload(); }
    /// See LoadedTraffic::warnings().
    [[nodiscard]] const std::vector<std::string>& set_warnings(const Log& log = {}) const {
        return parts_->traffic->warnings(log);
    }
    /// See LoadedTraffic::left_out().
    [[nodiscard]] LeftOutOfSets left_out_of_sets() const { return parts_->traffic->left_out(); }
    /// See LoadedTraffic::is_of_log().
    [[nodiscard]] bool is_of_log() const { return parts_->traffic->is_of_log(); }
    /// See LoadedTraffic::calls().
    [[nodiscard]] const JobLog* calls(const Log& log = {}) const { return parts_->traffic->calls(log); }
    [[nodiscard]] const Allocation& allocation() const { return *parts_->nodes.allocation; }
    [[nodiscard]] const HostNames* hosts() const { return parts_->nodes.hosts.get(); }
    /// The scheduler's own placement.
    [[nodiscard]] const Mapping& default_placement() const { return parts_->default_placement; }
    [[nodiscard]] RankMapContext rank_maps() const { return parts_->nodes.rank_maps(rank_count()); }

    /// The limit of the ranks' weight per node. Null if only rank slots limit the ranks of a node.
    [[nodiscard]] const RankBalance* balance() const { return parts_->balance ? &*parts_->balance : nullptr; }

    /// The problem for searches and evaluations. Created by the first call, and again after its last owner has released
    /// it. Callers should hold it from a search to the evaluation of its result. Thread-safe.
    [[nodiscard]] std::shared_ptr<const JobProblem> problem(const Log& log = {}) const;

    /// Returns this job with every non-empty message set to this size.
    [[nodiscard]] Job with_message_size(std::int64_t size_bytes) const;
    /// Returns a job with this job's traffic on other nodes of the machine.
    [[nodiscard]] Job on(Allocation allocation) const;
    /// Returns a job with this job's machine and default placement and other sets. The number of ranks must be the
    /// same.
    [[nodiscard]] Job with_workload(Workload workload) const;

  private:
    struct Parts {
        AllocatedNodes nodes;
        std::shared_ptr<const LoadedTraffic> traffic;
        Mapping default_placement;
        std::optional<RankBalance> balance;
        mutable std::mutex mutex{};
        mutable std::weak_ptr<const JobProblem> problem{};  ///< guarded by the mutex
    };

    Job(AllocatedNodes nodes, std::shared_ptr<const LoadedTraffic> traffic);

    std::shared_ptr<const Parts> parts_;
};

/// Loads the job on cuboids of these shapes, which replace the shape in the spec. The machine and the workload are
/// loaded once.
std::vector<Job> jobs_of_shapes(const JobSpec& spec, std::span<const std::vector<std::int32_t>> shapes,
                                const Reading& reading = {});

}  // namespace haichi
