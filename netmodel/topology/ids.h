#pragma once

#include "base/strong_id.h"

namespace haichi {

/// A place in a topology: a terminal (compute node) or a switch. Terminals come first.
using VertexId = StrongId<struct VertexTag>;
/// A directed channel between neighbouring vertices (or an injection/ejection channel of a node).
using LinkId = StrongId<struct LinkTag>;
/// A compute node of a job, numbered 0..n-1 inside the job: row-major order of its coordinates, last axis fastest, or
/// the order of the node list.
using NodeId = StrongId<struct NodeTag>;

}  // namespace haichi
