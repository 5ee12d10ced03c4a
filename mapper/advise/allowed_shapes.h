#pragma once

#include <cstdint>
#include <vector>

#include "netmodel/machine/machine.h"

namespace haichi {

/// An allowed shape of a job.
struct AllowedShape {
    std::vector<std::int32_t> shape;  ///< one size per axis of the machine
    /// The request that gives this shape. If axes form logical axes (Tofu: X-A, Y-B, Z-C), the scheduler may assign the
    /// request's axes to these in any order. Shapes whose logical sizes differ only in order therefore share one
    /// request: the sizes of the first such shape. On other machines the request is the shape.
    std::vector<std::int32_t> request;
    /// Mean hops between two nodes of the shape over shortest routes.
    double mean_distance = 0;
};

struct AllowedShapes {
    std::int32_t node_count = 0;       ///< number of nodes of every shape
    std::vector<AllowedShape> shapes;  ///< most compact first
    bool is_listed = false;            ///< whether the machine file lists the shapes
};

/// The allowed shapes with `least_nodes` nodes. If there are none, returns those with the smallest larger number of
/// nodes. Allowed shapes are those in the machine file or, without a list there, all shapes that fit.
///
/// If a machine's axes form pairs (Tofu: X-A, Y-B, Z-C), a shape covers the second axis of each pair completely. On
/// Tofu, this gives units of 12 nodes. Without pairs, one shape represents all shapes that differ only by an exchange
/// of axes with equal size and wrap.
///
/// Throws UnsupportedError for machines other than meshes and tori, and OptionError when no allowed shape has enough
/// nodes.
AllowedShapes allowed_shapes(const Machine& machine, std::int64_t least_nodes);

}  // namespace haichi
