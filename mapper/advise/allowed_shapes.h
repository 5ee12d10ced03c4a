#pragma once

#include <cstdint>
#include <vector>

#include "netmodel/machine/machine.h"

namespace haichi {

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

}  // namespace haichi
