#pragma once

#include <optional>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// The job's nodes, with the same numbers, on the torus of its logical coordinates: the network that the RMATT tool
/// takes a Tofu machine for. All logical axes wrap; routes go x, y, z. None for node lists, trees and graphs, which
/// have no logical axes.
std::optional<Network> logical_torus(const Allocation& allocation);

}  // namespace haichi
