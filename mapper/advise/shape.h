#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mapper/advise/advice_runs.h"
#include "mapper/advise/evidence.h"
#include "mapper/job/job_spec.h"
#include "mapper/job/posed_job.h"

namespace haichi {

/// Advice on job shapes: finds the cuboid of a machine that suits an application best.

/// The results for one shape.
struct ShapeTimes {
    std::vector<std::int32_t> shape;
    std::vector<std::int32_t> request;
    double search_value = 0;  ///< search value of the best placement found
    /// Times per seed: those of the placement that the search with this seed found. Empty if not simulated.
    std::vector<SimulatedTime> without_barriers;
    std::vector<SimulatedTime> with_barriers;
};

/// The time without barriers or the time with barriers, whichever is faster. The shape must have times.
TimeSpread shape_time(const ShapeTimes& shape);

enum class ShapeVerdict {
    kOne,      ///< ShapeAdvice::requests holds the best request
    kSeveral,  ///< ShapeAdvice::requests are equally good, and better than the others
    kAny,      ///< no simulated request is better than another
    kUnknown,
};

struct ShapeAdvice {
    ShapeVerdict verdict = ShapeVerdict::kUnknown;
    std::vector<std::vector<std::int32_t>> requests;  ///< best first
    double gain = 0;  ///< for kOne and kSeveral: time saved over the next request, as a fraction of that request's time
    double spread = 0;  ///< spread of `gain`, as a fraction of the same time
    std::string sentence;
};

/// Reasons why there may be no answer.
struct ShapeLimits {
    std::string why_unknown{};  ///< why_times_mean_nothing()
    bool interrupted = false;
};

/// Compares requests by their slowest shapes, because the scheduler picks the shape. Two requests differ if their mean
/// times differ by more than the sum of their spreads.
ShapeAdvice advise_shapes(std::span<const ShapeTimes> shapes, const ShapeLimits& limits);

/// The objective that compares shapes, and the budget of the answer.
struct ShapeAdviceOptions {
    ObjectiveChoice objective{};
    std::uint64_t seed = 1;                  ///< seed of the first search
    std::int32_t threads = 0;                ///< 0 means all cores; the answer does not depend on it
    std::int64_t node_count = 0;             ///< 0 means as many as the ranks need
    std::int32_t finalists = 4;              ///< requests whose shapes get a full search and simulations
    std::int32_t seeds = 3;                  ///< number of search seeds, and of placements per finalist
    double packet_hops = kAdvicePacketHops;  ///< budget for all simulations together
};

/// The results for one shape, with the effort spent on it.
struct ShapeReport {
    ShapeTimes times;
    double mean_distance = 0;
    std::int32_t idle_nodes = 0;
    bool is_searched = false;         ///< if false, only the distances of the shape are known
    bool is_finalist = false;         ///< whether it was searched with all seeds
    std::int64_t contention_sum = 0;  ///< for the best placement: most messages on a link, summed over the sets
    std::vector<std::int64_t> set_contention;  ///< for the best placement
    bool optimal = false;                      ///< the search value reaches the bound
};

/// The answer on shapes, written as haichi-advice/1. A value type.
struct ShapeAdviceReport {
    std::string machine;
    std::int32_t ranks = 0;
    std::int32_t ranks_per_node = 1;
    std::int64_t wanted_nodes = 0;
    std::int32_t node_count = 0;  ///< number of nodes of every shape; more than requested if no shape matches exactly
    bool is_listed = false;       ///< whether the machine file lists the shapes
    std::string objective;
    std::string unit;
    std::int32_t seeds = 0;          ///< number of seeds used
    SimulatedIterations iterations;  ///< iterations of each simulation
    std::int64_t simulations = 0;
    std::vector<ShapeReport> shapes;  ///< best first: simulated shapes, then shapes only searched, then the others
    ShapeAdvice advice;
    bool interrupted = false;
};

/// Maximum number of shapes that get a quick search. The most compact shapes are searched, and the answer states how
/// many are not.
inline constexpr std::size_t kMostSearchedShapes = 64;

/// Tries all allowed shapes with a quick search, searches the best requests with all seeds, and simulates each
/// placement without and with barriers. A small budget reduces the numbers of finalists and seeds, to at least two
/// each. Faulty nodes in the machine file are ignored, because the job's location is unknown. The spec's own shape is
/// ignored as well. Throws the errors of the searches and simulations. Never prints.
ShapeAdviceReport advise_shape(const JobSpec& spec, const ShapeAdviceOptions& options,
                               const AdviceControl& control = {});

}  // namespace haichi
