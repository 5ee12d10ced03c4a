#pragma once

#include <string>

#include "netmodel/topology/fat_tree.h"
#include "netmodel/topology/graph.h"
#include "netmodel/topology/grid.h"

namespace haichi::testing_graphs {

/// A built-in topology as GraphML: each link is a directed edge, vertices are "v0", "v1", .. in order, and vertices
/// after the terminals are switches.
template <class Topology>
std::string graphml_of(const Topology& topology, std::int32_t terminals, std::int64_t bandwidth_bytes_per_s) {
    std::string text =
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminal\" attr.type=\"boolean\"/>\n"
        "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"long\"><default>" +
        std::to_string(bandwidth_bytes_per_s) + "</default></key>\n<graph edgedefault=\"directed\">\n";
    for (std::int32_t v = 0; v < topology.vertex_count(); ++v) {
        text.append("<node id=\"v").append(std::to_string(v)).append("\"><data key=\"t\">");
        text.append(v < terminals ? "true" : "false").append("</data></node>\n");
    }
    for (std::int32_t l = 0; l < topology.link_count(); ++l) {
        if constexpr (requires { topology.link_exists(LinkId(l)); }) {
            if (!topology.link_exists(LinkId(l))) continue;
        }
        const auto ends = topology.link_ends(LinkId(l));
        text.append("<edge source=\"v").append(std::to_string(ends.from.value));
        text.append("\" target=\"v").append(std::to_string(ends.to.value)).append("\"/>\n");
    }
    return text + "</graph></graphml>\n";
}

/// Two switches with three nodes each below a third switch, whose links have half the rate. A second link joins the
/// first switch and the third.
inline std::string two_switches() {
    std::string text =
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminal\" attr.type=\"int\"/>\n"
        "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>\n<graph "
        "edgedefault=\"undirected\">\n";
    const auto edge = [&text](const std::string& a, const std::string& b, const char* bandwidth) {
        text.append("<edge source=\"").append(a).append("\" target=\"").append(b);
        text.append("\"><data key=\"b\">").append(bandwidth).append("</data></edge>\n");
    };
    for (const char* name : {"top", "left", "right"}) text.append("<node id=\"").append(name).append("\"/>\n");
    for (std::int32_t n = 1; n <= 6; ++n) {
        text.append("<node id=\"n").append(std::to_string(n)).append("\"><data key=\"t\">1</data></node>\n");
        edge(std::to_string(n).insert(0, 1, 'n'), n <= 3 ? "left" : "right", "2GB/s");
    }
    edge("left", "top", "1GB/s");
    edge("left", "top", "1GB/s");
    edge("right", "top", "1GB/s");
    return text + "</graph></graphml>\n";
}

/// A one-way ring of 7 terminals with one shortcut in the opposite direction.
inline std::string one_way_ring() {
    std::string text = "<graphml><graph edgedefault=\"directed\">\n";
    for (std::int32_t n = 0; n < 7; ++n) {
        text.append("<node id=\"").append(std::to_string(n)).append("\"/><edge source=\"").append(std::to_string(n));
        text.append("\" target=\"").append(std::to_string((n + 1) % 7)).append("\"/>\n");
    }
    return text + "<edge source=\"4\" target=\"0\"/></graph></graphml>\n";
}

}  // namespace haichi::testing_graphs
