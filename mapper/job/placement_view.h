#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mapper/job/placement.h"
#include "netmodel/routing/network.h"

namespace haichi {

/// A job's network for pictures, as plain arrays. Only existing links are included, numbered from 0 in the order of
/// their ids ("compact numbers").
struct NetworkOutline {
    std::vector<Axis> axes;  ///< for networks with coordinates; vertices are row-major, last axis fastest
    std::vector<std::int32_t> vertex_level;    ///< without coordinates: 0 for terminals, from 1 for switches
    std::vector<std::int32_t> vertex_of_node;  ///< vertices of the job's nodes
    /// Start vertices. The channels of a NIC start and end at the vertex of its node.
    std::vector<std::int32_t> link_source;
    std::vector<std::int32_t> link_destination;
    std::vector<std::int8_t> link_axis;    ///< axis of a link between nodes with coordinates; -1 for other links
    std::vector<std::int8_t> link_sign;    ///< +1 or -1 along the axis, 0 for other links
    std::vector<Panel> panels;             ///< without coordinates: how links are drawn
    std::vector<std::int32_t> link_panel;  ///< without coordinates: index in `panels`, or -1 for the channels of a NIC
    std::vector<std::int64_t> link_bandwidth_bytes_per_s;
    std::vector<std::string> link_names;  ///< without coordinates: names as in Network::link_name
};
NetworkOutline network_outline(const Network& network);

/// The route of every message of a placement, in the order of the workload. The links of message m are link[first[m]]
/// to link[first[m + 1] - 1], by their compact numbers. Memory O(sum of the lengths).
struct MessageRoutes {
    std::vector<std::int64_t> first;
    std::vector<std::int32_t> link;
};
MessageRoutes message_routes(const Placement& placement);

}  // namespace haichi
