#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// The undirected graph of ranks that exchange bytes, in compressed rows with every edge at both of its ends. Partners
/// ascend. Vertices are rank numbers. A value type.
struct RankGraph {
    std::vector<std::size_t> first = {0};
    std::vector<std::int32_t> partner;
    std::vector<std::int64_t> bytes;  ///< bytes of each entry of `partner`

    [[nodiscard]] std::size_t vertex_count() const { return first.size() - 1; }
    [[nodiscard]] std::size_t degree(std::size_t v) const { return first[v + 1] - first[v]; }
    [[nodiscard]] std::span<const std::int32_t> partners(std::size_t v) const {
        return std::span(partner).subspan(first[v], degree(v));
    }
    /// The index in `partner` of w as a partner of v, or partner.size() if they are no partners. O(log degree).
    [[nodiscard]] std::size_t entry(std::size_t v, std::int32_t w) const;
};

RankGraph rank_graph(const Problem& problem);

/// The graph without edges whose entry in `keep` is false. Both entries of an edge must be equal.
RankGraph thinned(const RankGraph& graph, const std::vector<std::uint8_t>& keep);

/// Drops edges that are lighter than two others with which they form a triangle (a relative neighbourhood graph,
/// Toussaint 1980). For a stencil with diagonals whose messages are smaller, the faces remain.
RankGraph without_lighter_edges_of_triangles(const RankGraph& graph);

/// Like without_lighter_edges_of_triangles(), with the fraction of common partners instead of bytes. For a stencil with
/// diagonals and equal messages, the faces remain.
RankGraph without_looser_edges_of_triangles(const RankGraph& graph);

/// The graph of the edges that have at least the fraction `share` of the heaviest edge's bytes.
RankGraph heavy_edges(const RankGraph& graph, double share);

}  // namespace haichi
