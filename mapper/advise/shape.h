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

/// Advice on job shapes: which cuboid of a machine suits an application.

/// The results for one shape.
struct ShapeTimes {
    std::vector<std::int32_t> shape;
    std::vector<std::int32_t> request;
    double search_value = 0;  ///< search value of the best placement found
    /// Per seed, for the placement found by the search with this seed. Empty if not simulated.
    std::vector<SimulatedTime> without_barriers;
    std::vector<SimulatedTime> with_barriers;
};

/// The faster time of without and with barriers. There must be times.
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
    double gain = 0;    ///< for kOne and kSeveral: how much slower the next request is, as a fraction of its time
    double spread = 0;  ///< spread of this difference, in the same unit
    std::string sentence;
};

/// Reasons against an answer.
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
    std::int32_t seeds = 3;                  ///< number of search seeds, which is the number of placements per finalist
    double packet_hops = kAdvicePacketHops;  ///< budget for all simulations together
};

/// A row of the answer.
struct ShapeReport {
    ShapeTimes times;
    double mean_distance = 0;
    std::int32_t idle_nodes = 0;
    bool is_searched = false;         ///< if false, only its distances are known
    bool is_finalist = false;         ///< searched with all seeds
    std::int64_t contention_sum = 0;  ///< for the best placement: most messages on a link, summed over the sets
    std::vector<std::int64_t> set_contention;  ///< for the best placement
    bool optimal = false;                      ///< the search value reaches the bound
};

/// The answer, format haichi-advice/1. A value type.
struct ShapeAdviceReport {
    std::string machine;
    std::int32_t ranks = 0;
    std::int32_t ranks_per_node = 1;
    std::int64_t wanted_nodes = 0;
    std::int32_t node_count = 0;  ///< node count of all shapes; more than wanted if no shape matches exactly
    bool is_listed = false;       ///< whether the machine file lists the shapes
    std::string objective;
    std::string unit;
    std::int32_t seeds = 0;          ///< number of seeds used
    SimulatedIterations iterations;  ///< iterations of each simulation
    std::int64_t simulations = 0;
    std::vector<ShapeReport> shapes;  ///< best first: simulated ones, searched ones, others
    ShapeAdvice advice;
    bool interrupted = false;
};

/// Maximum number of shapes that get a quick search. The most compact ones do, and an answer states the number of the
/// others.
inline constexpr std::size_t kMostSearchedShapes = 64;

/// Tries all allowed shapes with a quick search, searches the best requests with all seeds, and simulates each
/// placement without and with barriers. A small budget gives fewer finalists and fewer seeds, at least two of each.
/// Faulty nodes in the machine file are ignored, because the job's location is unknown. The spec's own shape is ignored
/// as well. Throws the errors of the searches and simulations. Never prints.
ShapeAdviceReport advise_shape(const JobSpec& spec, const ShapeAdviceOptions& options,
                               const AdviceControl& control = {});

}  // namespace haichi
