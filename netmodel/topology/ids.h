#pragma once

#include "base/strong_id.h"

namespace haichi {

/// A vertex of a topology: a terminal (compute node) or a switch. Terminals have the lowest numbers.
using VertexId = StrongId<struct VertexTag>;
/// A directed channel between neighbouring vertices, or an injection or ejection channel of a node.
using LinkId = StrongId<struct LinkTag>;
/// A compute node of a job, numbered 0..n-1 within the job. The order is row-major in the coordinates, last axis
/// fastest, or the order of the node list.
using NodeId = StrongId<struct NodeTag>;

}  // namespace haichi
