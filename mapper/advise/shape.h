#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapper/advise/evidence.h"

namespace haichi {

/// Advice on job shapes: which cuboid of a machine suits an application.

/// A shape that a job may have.
struct AllowedShape {
    std::vector<std::int32_t> shape;  ///< one size per axis of the machine
    /// What a user asks for to get it. Where axes form logical ones (Tofu: X-A, Y-B, Z-C) the scheduler may lay the
    /// request's axes on any of these, so that shapes with equal logical sizes in another order are one request; it is
    /// written with the sizes of the first of them. Elsewhere it is the shape.
    std::vector<std::int32_t> request;
    /// Mean hops between two of its nodes, were routes shortest ones.
    double mean_distance = 0;
};

struct AllowedShapes {
    std::int32_t node_count = 0;       ///< that they all have
    std::vector<AllowedShape> shapes;  ///< most compact first
    bool is_listed = false;            ///< by the machine file
};

/// The allowed shapes with `least_nodes` nodes or, when there is none, with the smallest larger number that has any.
/// They are those that the machine file lists, else all that fit; of a machine whose axes form pairs (Tofu: X-A, Y-B,
/// Z-C) with the second axis of each pair whole, that is units of 12 nodes. Of shapes that differ only by exchanging
/// axes of equal size and wrap, one stands for all where no pairs are formed. Throws UnsupportedError for machines that
/// are no mesh or torus, OptionError when no allowed shape has as many nodes.
AllowedShapes allowed_shapes(const Machine& machine, std::int64_t least_nodes);

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
    std::vector<std::string> missing;  ///< missing_times()
    bool interrupted = false;
    std::string machine;
};

/// Compares requests by the slowest of their shapes, because the scheduler picks it; two differ when their mean times
/// differ by more than the spreads of both.
ShapeAdvice advise_shapes(std::span<const ShapeTimes> shapes, const ShapeLimits& limits);

}  // namespace haichi
