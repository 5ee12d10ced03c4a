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
    double fraction_done = 0;  ///< fraction of the current search
    double best_value = 0;     ///< in the unit of the objective
    std::optional<double> lower_bound{};
    std::int64_t evaluations = 0;
    std::string objective{};  ///< objective of the current search, if there are several in sequence
};

/// Options of a search. The names are those of the options of `haichi map`.
struct MapOptions {
    Objective objective{};
    std::optional<std::vector<std::string>> then{};  ///< tie-breaking order; empty for the objective's own
    std::uint64_t seed = 1;
    std::optional<std::int64_t> evaluations{};  ///< per restart; empty for the schedule's default
    std::optional<double> time{};  ///< wall-clock limit in seconds, instead of evaluations; then not reproducible
    std::optional<std::int32_t> restarts{};
    std::optional<std::int32_t> threads{};  ///< does not change the result; empty for all cores
    std::string strategy = "auto";
    /// First placement: the name of a strategy, a file with a rank map, or the node of each rank.
    std::variant<std::string, std::vector<std::int32_t>> start{};
    MoreOptions more{};  ///< "schedule", "moves", "smoothing", "verify"

    /// Called several times a second from one thread of the search at a time. It must not throw.
    std::function<void(const SearchProgress&)> progress{};
    /// A request to stop ends the search soon with the best placement so far.
    std::stop_token stop{};
};

/// Places the ranks. The same inputs and seed give the same placement with any number of threads. Throws
/// OptionError, InputError and UnsupportedError.
HAICHI_EXPORT Placement map(const Job& job, const MapOptions& options = {});

HAICHI_END
