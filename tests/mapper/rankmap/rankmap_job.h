#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mapper/rankmap/rankmap.h"
#include "netmodel/machine/machine.h"

namespace haichi {

/// A job on a machine, for tests of rank maps.
inline Allocation rankmap_job(const std::string& machine, std::vector<std::int32_t> shape = {},
                              std::int32_t ranks_per_node = 1, const std::string& fold = "default",
                              std::vector<std::int32_t> origin = {}) {
    AllocationRequest request;
    request.shape = std::move(shape);
    request.origin = std::move(origin);
    request.ranks_per_node = ranks_per_node;
    request.fold = fold;
    return allocate(load_machine(machine), request);
}

/// A placement on these nodes.
inline Mapping rankmap_mapping(const std::vector<std::int32_t>& nodes, const Allocation& job) {
    std::vector<NodeId> ids;
    for (const std::int32_t node : nodes) ids.push_back(NodeId(node));
    return Mapping::from_nodes(ids, job.node_count(), job.ranks_per_node);
}

}  // namespace haichi
