#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "mapper/job/job.h"
#include "mapper/search/convergence.h"

namespace haichi {

/// A placement that simulated-time compared.
struct PlacementCandidate {
    bool is_default = false;
    double searched_value = 0;                    ///< value of SearchRecord::searched_objective
    std::optional<double> seconds_per_iteration;  ///< empty if a limit or an interruption cut the simulation short
};

/// The placements of one objective in --objective auto: one for each seed.
struct ObjectiveTrial {
    std::string objective;
    std::vector<std::string> next{};  ///< tie-breaking order
    std::vector<double> seconds{};    ///< time per iteration or of the whole run, by seed; only evaluated placements
    bool is_chosen = false;
};

/// The comparison under load: the sets without computation, with larger messages.
struct LoadedTrial {
    std::int64_t mean_message_bytes = 0;
    bool is_simulated = false;   ///< if false, times are predicted
    double default_seconds = 0;  ///< per iteration, like the next member
    double seconds = 0;          ///< time of the chosen placement
};

/// Times of all iterations, as `haichi simulate` and `haichi compare` state them.
struct FullTimes {
    double default_seconds = 0;
    double seconds = 0;  ///< time of the chosen placement
};

/// The trials of --objective auto and the decision.
struct ObjectiveTrials {
    std::string judge;  ///< "simulated" or "predicted"
    bool of_calls = false;
    std::string reason{};  ///< reason why the traffic or its calls were not simulated; empty if they were
    double default_seconds = 0;
    double seconds = 0;          ///< time of the fastest placement of the chosen objective
    bool keeps_default = false;  ///< no placement is faster beyond the spread
    std::vector<ObjectiveTrial> trials{};
    std::optional<FullTimes> full{};      ///< only if there is a gain and the first iterations decided
    std::optional<LoadedTrial> loaded{};  ///< only if placements had similar times
    double judging_seconds = 0;           ///< wall-clock time of the comparisons
};

double mean_seconds(const ObjectiveTrial& trial);
/// Standard deviation over the seeds. Empty if there is only one seed.
std::optional<double> spread_seconds(const ObjectiveTrial& trial);

/// The smallest saved fraction of the time that counts as a gain, because runs on a machine vary by about as much.
/// `haichi compare` uses the same limit.
inline constexpr double kLeastGain = 0.01;
/// Whether the mean over the seeds is below `default_seconds` by at least kLeastGain and by more than the spread.
bool is_gain(const ObjectiveTrial& trial, double default_seconds);

/// The search that found a placement.
struct SearchRecord {
    std::string strategy;   ///< strategy that was used; never "auto"
    std::string objective;  ///< searched objective, as text for parse_objective(); simulated-time searches with tac3
    std::vector<std::string> next{};  ///< tie-breaking order
    std::uint64_t seed = 1;
    std::int64_t evaluations = 0;
    double evaluations_per_second = 0;            ///< rate of the inner loops, per thread; 0 if unknown
    std::vector<ConvergencePoint> convergence{};  ///< improvements of the winning run, in the unit of the objective
    std::optional<double> time_limit_seconds{};
    double seconds_gone = 0;  ///< time spent in earlier runs that this run continued
    double wall_seconds = 0;
    bool interrupted = false;
    bool reproducible = true;
    /// True if every placement was evaluated, so that none is better, whatever the bound is.
    bool is_proven = false;
    /// With simulated-time: the placements compared, in the order of their simulation. Otherwise empty.
    std::vector<PlacementCandidate> candidates{};
    /// True if at least two candidates could be compared. The fastest one was then chosen instead of the search's best.
    bool is_ranked = false;
    std::optional<ObjectiveTrials> trials{};  ///< only with --objective auto
};

/// A job and the node of each of its ranks. A value type.
class Placement {
  public:
    /// The scheduler's own placement.
    explicit Placement(const Job& job) : job_(job), mapping_(job.default_placement()), is_default_(true) {}
    Placement(Job job, Mapping mapping) : job_(std::move(job)), mapping_(std::move(mapping)) {}
    /// A placement found by a search.
    Placement(Job job, Mapping mapping, SearchRecord search)
        : job_(std::move(job)), mapping_(std::move(mapping)), search_(std::move(search)) {}

    [[nodiscard]] const Job& job() const { return job_; }
    [[nodiscard]] const Mapping& mapping() const { return mapping_; }
    /// True for the job's default placement, unless the user gave it as a map.
    [[nodiscard]] bool is_default() const { return is_default_; }
    /// The search that found the placement; null if none did.
    [[nodiscard]] const SearchRecord* search() const { return search_ ? &*search_ : nullptr; }

  private:
    Job job_;
    Mapping mapping_;
    std::optional<SearchRecord> search_;
    bool is_default_ = false;
};

/// A map file, or the node of each rank.
using GivenMap = std::variant<std::string, std::vector<NodeId>>;

/// Makes a mapping from the node of each rank. Throws OptionError, which names the rank, if a node has too few slots.
Mapping mapping_of(std::span<const NodeId> node_of_rank, const Allocation& allocation);

/// A placement given by a user. `format` is the format of a file; empty means detection by content. Throws InputError
/// and OptionError for maps that do not fit the job.
Placement given_placement(const Job& job, const GivenMap& map, const std::string& format = "");

}  // namespace haichi
