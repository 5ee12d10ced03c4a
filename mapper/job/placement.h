#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mapper/job/job.h"
#include "mapper/search/convergence.h"

namespace haichi {

/// A placement that simulated-time looked at.
struct PlacementCandidate {
    bool is_default = false;
    double searched_value = 0;                    ///< of SearchRecord::searched_objective
    std::optional<double> seconds_per_iteration;  ///< nothing: cut short by a limit or an interruption
};

/// What --objective auto tried: the placements of one objective, one per seed.
struct ObjectiveTrial {
    std::string objective;
    std::vector<std::string> next{};  ///< of its ties
    std::vector<double> seconds{};    ///< of an iteration, or of the whole run, by seed; those that could be judged
    bool is_chosen = false;
};

/// A second judgement: of the sets without computing, with larger messages.
struct LoadedTrial {
    std::int64_t mean_message_bytes = 0;
    bool is_simulated = false;   ///< else predicted
    double default_seconds = 0;  ///< of an iteration, as the next
    double seconds = 0;          ///< of the placement that was taken
};

/// How --objective auto decided.
struct ObjectiveTrials {
    std::string judge;  ///< "simulated" or "predicted"
    bool of_calls = false;
    std::string reason{};  ///< why not simulated, or not the calls; empty: nothing was in the way
    double default_seconds = 0;
    bool keeps_default = false;  ///< nothing that was found is faster
    std::vector<ObjectiveTrial> trials{};
    std::optional<LoadedTrial> loaded{};  ///< where placements were alike
    double judging_seconds = 0;           ///< wall clock
};

double mean_seconds(const ObjectiveTrial& trial);
/// Standard deviation over the seeds; nothing for one.
std::optional<double> spread_seconds(const ObjectiveTrial& trial);

/// How a placement was found.
struct SearchRecord {
    std::string strategy;   ///< that was used; never "auto"
    std::string objective;  ///< that was searched, as parse_objective() reads it; simulated-time searches with tac3
    std::vector<std::string> next{};  ///< of its ties, in their order
    std::uint64_t seed = 1;
    std::int64_t evaluations = 0;
    double evaluations_per_second = 0;            ///< of the inner loops alone, per thread; 0: no rate to tell
    std::vector<ConvergencePoint> convergence{};  ///< of the run that won, in the unit of the objective
    std::optional<double> time_limit_seconds{};
    double seconds_gone = 0;  ///< of the limit, in earlier runs that this one went on from
    double wall_seconds = 0;
    bool interrupted = false;
    bool reproducible = true;
    /// Every placement was looked at: none is better, whatever the bound says.
    bool is_proven = false;
    /// simulated-time: the placements compared, in the order of their simulation; else empty.
    std::vector<PlacementCandidate> candidates{};
    /// At least two candidates could be compared, so that the fastest was taken, not the best of the search.
    bool is_ranked = false;
    std::optional<ObjectiveTrials> trials{};  ///< of --objective auto
};

/// Where the ranks of a job are. Knows its job; a value.
class Placement {
  public:
    /// The scheduler's own.
    explicit Placement(const Job& job) : job_(job), mapping_(job.default_placement()), is_default_(true) {}
    Placement(Job job, Mapping mapping) : job_(std::move(job)), mapping_(std::move(mapping)) {}
    /// One that was found.
    Placement(Job job, Mapping mapping, SearchRecord search)
        : job_(std::move(job)), mapping_(std::move(mapping)), search_(std::move(search)) {}

    [[nodiscard]] const Job& job() const { return job_; }
    [[nodiscard]] const Mapping& mapping() const { return mapping_; }
    /// It was not given but is the job's default.
    [[nodiscard]] bool is_default() const { return is_default_; }
    /// How it was found; null: it was given.
    [[nodiscard]] const SearchRecord* search() const { return search_ ? &*search_ : nullptr; }

  private:
    Job job_;
    Mapping mapping_;
    std::optional<SearchRecord> search_;
    bool is_default_ = false;
};

/// A map file, or the node of each rank.
using GivenMap = std::variant<std::string, std::vector<NodeId>>;

/// A placement as users give it; `format` of a file, empty: by its content. Throws InputError and OptionError for maps
/// that do not fit the job.
Placement given_placement(const Job& job, const GivenMap& map, const std::string& format = "");

}  // namespace haichi
