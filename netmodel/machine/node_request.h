#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/machine/allocation.h"

namespace haichi {

/// PJM, the job scheduler of Tofu machines, states a job's nodes in 1 to 3 logical axes, as in "node=4x6x4". In a 3D
/// request, each axis combines a long axis of the machine with a short one (Machine::logical). A unit therefore has 2,
/// 3 and 2 nodes along the three logical axes. A 2D request is a plane of units, and a 1D request is a line of units.

/// Whether the machine's jobs are requested in logical axes.
bool has_logical_axes(const Machine& machine);

/// Converts a request in logical axes to the machine's own axes, with the fold for its number of dimensions. Returns
/// other requests unchanged. Errors show the request with the prefix `word`, for example "node=". Throws OptionError
/// for parts of a unit and for requests that do not fit the machine. The hint names the nearest requests that fit.
/// Throws UnsupportedError for 1D and 2D meshes.
AllocationRequest in_machine_axes(const Machine& machine, AllocationRequest request, std::string_view word = "§shape ");

/// The most compact 3D request with at least this number of nodes, and as few more as possible. Empty if the machine
/// has fewer nodes, or no logical axes.
std::vector<std::int32_t> compact_request(const Machine& machine, std::int64_t least_nodes);

/// An orientation of a 3D request on the machine: request axis i lies on logical axis axes[i] of the machine.
struct RotatedRequest {
    std::vector<std::size_t> axes;
    std::vector<std::int32_t> shape;  ///< in the machine's axes
};

/// The other orientations in which the machine can hold a 3D request of whole units. PJM may choose any of them.
std::vector<RotatedRequest> rotated_requests(const Machine& machine, const std::vector<std::int32_t>& logical_sizes);

}  // namespace haichi
