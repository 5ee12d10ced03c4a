#pragma once

#include <haichi/export.h>
#include <haichi/job.h>
#include <haichi/objective.h>
#include <haichi/options.h>
#include <haichi/placement.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

HAICHI_BEGIN

/// The progress of a search.
struct SearchProgress {
    double fraction_done = 0;  ///< finished fraction of the current search
    double best_value = 0;     ///< in the unit of the objective
    std::optional<double> lower_bound{};
    std::int64_t evaluations = 0;
    std::string objective{};  ///< objective of the current search, if several searches follow each other
};

/// The options of a search. Members have the names of the options of `haichi map`.
struct MapOptions {
    Objective objective{};
    std::optional<std::vector<std::string>> then{};  ///< tie-breaking order; empty for the objective's own order
    std::uint64_t seed = 1;
    std::optional<std::int64_t> evaluations{};  ///< per restart; empty for the schedule's default
    std::optional<double> time{};  ///< limit of the wall-clock time in seconds, in place of `evaluations`; results are
                                   ///< then not reproducible
    std::optional<std::int32_t> restarts{};
    std::optional<std::int32_t> threads{};  ///< does not change the result; empty for all cores
    std::string strategy = "auto";
    /// The first placement: the name of a strategy, a rank-map file, or the node of each rank.
    std::variant<std::string, std::vector<std::int32_t>> start{};
    MoreOptions more{};  ///< values of "schedule", "moves", "smoothing" and "verify"

    /// Called several times a second by a thread of the search, never concurrently. It must not throw.
    std::function<void(const SearchProgress&)> progress{};
    /// If a stop is requested, the search soon ends and returns the best placement so far.
    std::stop_token stop{};
};

/// Searches for a placement of the ranks. Equal inputs and seeds give equal placements with any number of threads.
/// Throws OptionError, InputError and UnsupportedError.
HAICHI_EXPORT Placement map(const Job& job, const MapOptions& options = {});

HAICHI_END
