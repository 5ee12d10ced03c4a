#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>

#include "netmodel/topology/graph.h"

namespace haichi {

/// Where a link leads.
struct GraphArc {
    LinkId link;
    VertexId to;
};

/// The links of a Graph as Boost holds them. Those that leave a vertex lie in the order of their ends (switches before
/// terminals, then by number), parallel ones in that of their numbers; those that enter it in the order of the vertices
/// that they come from. Neither depends on the order of the links, but for parallel ones.
struct GraphArcs {
    using Csr = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, LinkId,
                                                   boost::no_property, std::uint32_t, std::uint32_t>;
    Csr graph;

    static std::uint32_t number(VertexId v) { return static_cast<std::uint32_t>(v.value); }

    /// Number of links that leave v.
    [[nodiscard]] std::size_t count(VertexId v) const { return out_degree(number(v), graph); }
    /// Number `place` of them. O(1).
    [[nodiscard]] GraphArc from(VertexId v, std::size_t place) const {
        const auto edge = *(out_edges(number(v), graph).first + static_cast<std::int32_t>(place));
        return {graph[edge], VertexId(static_cast<std::size_t>(target(edge, graph)))};
    }
};

}  // namespace haichi
