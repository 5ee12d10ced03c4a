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

/// What is known of a shape when all is done.
struct ShapeTimes {
    std::vector<std::int32_t> shape;
    std::vector<std::int32_t> request;
    double search_value = 0;  ///< of the best placement found
    /// By seed, each with the placement that this seed's search found; empty: not simulated.
    std::vector<SimulatedTime> without_barriers;
    std::vector<SimulatedTime> with_barriers;
};

/// The faster of without and with barriers. There must be times.
TimeSpread shape_time(const ShapeTimes& shape);

enum class ShapeVerdict {
    kOne,      ///< ShapeAdvice::requests holds the one that wins
    kSeveral,  ///< these are no worse than each other, and better than the rest
    kAny,      ///< no simulated one is better than another
    kUnknown,
};

struct ShapeAdvice {
    ShapeVerdict verdict = ShapeVerdict::kUnknown;
    std::vector<std::vector<std::int32_t>> requests;  ///< best first
    double gain = 0;    ///< of kOne and kSeveral: by how much the next one is slower, as a share of its time
    double spread = 0;  ///< in the same unit, of this difference
    std::string sentence;
};

/// What speaks against an answer.
struct ShapeLimits {
    std::string why_unknown{};  ///< why_times_mean_nothing()
    bool interrupted = false;
};

/// Compares requests by the slowest of their shapes, because the scheduler picks it; two differ when their mean times
/// differ by more than the spreads of both.
ShapeAdvice advise_shapes(std::span<const ShapeTimes> shapes, const ShapeLimits& limits);

/// By what shapes are judged, and what the answer may cost.
struct ShapeAdviceOptions {
    ObjectiveChoice objective{};
    std::uint64_t seed = 1;                  ///< of the first search
    std::int32_t threads = 0;                ///< 0: all cores; the answer does not depend on it
    std::int64_t node_count = 0;             ///< 0: as many as the ranks need
    std::int32_t finalists = 4;              ///< requests whose shapes are searched properly and simulated
    std::int32_t seeds = 3;                  ///< of the search: placements of each finalist
    double packet_hops = kAdvicePacketHops;  ///< that all simulations together may take
};

/// A row of the answer.
struct ShapeReport {
    ShapeTimes times;
    double mean_distance = 0;
    std::int32_t idle_nodes = 0;
    bool is_searched = false;                  ///< else only its distances are known
    bool is_finalist = false;                  ///< searched with all seeds
    std::int64_t contention_sum = 0;           ///< of the best placement: most messages on a link, added over the sets
    std::vector<std::int64_t> set_contention;  ///< of the best placement
    bool optimal = false;                      ///< its search value reaches the bound
};

/// The answer: haichi-advice/1. A value.
struct ShapeAdviceReport {
    std::string machine;
    std::int32_t ranks = 0;
    std::int32_t ranks_per_node = 1;
    std::int64_t wanted_nodes = 0;
    std::int32_t node_count = 0;  ///< of all shapes; more than wanted when none has exactly as many
    bool is_listed = false;       ///< the machine file lists the shapes
    std::string objective;
    std::string unit;
    std::int32_t seeds = 0;          ///< that were used
    SimulatedIterations iterations;  ///< of each simulation
    std::int64_t simulations = 0;
    std::vector<ShapeReport> shapes;  ///< best first: simulated ones, searched ones, others
    ShapeAdvice advice;
    bool interrupted = false;
};

/// Shapes that get a quick search at most; the most compact ones do. An answer says how many did not.
inline constexpr std::size_t kMostSearchedShapes = 64;

/// Looks at all allowed shapes with a quick search, searches the best requests with all seeds, and simulates each
/// placement without and with barriers. Where the budget does not allow that, there are fewer finalists (at least two)
/// and fewer seeds (at least two). Nodes that the machine file states as faulty do not count: where the job will lie is
/// not known. The spec's own shape does not matter. Throws the errors of its parts; never prints.
ShapeAdviceReport advise_shape(const JobSpec& spec, const ShapeAdviceOptions& options,
                               const AdviceControl& control = {});

}  // namespace haichi
