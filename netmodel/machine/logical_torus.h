#pragma once

#include <optional>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// The job's nodes, with the same numbers, on the torus of its logical coordinates. This is the network that the RMATT
/// tool assumes for a Tofu machine. All logical axes wrap, and routes follow x, y, z. Empty for node lists, trees and
/// graphs, which have no logical axes.
std::optional<Network> logical_torus(const Allocation& allocation);

}  // namespace haichi
