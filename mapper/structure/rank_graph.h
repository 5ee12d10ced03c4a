#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "objectives/problem.h"

namespace haichi {

/// Who exchanges bytes with whom: undirected, compressed by rows, an edge at both of its ends; partners ascend. A
/// value. Vertices are ranks by their numbers.
struct RankGraph {
    std::vector<std::size_t> first = {0};
    std::vector<std::int32_t> partner;
    std::vector<std::int64_t> bytes;  ///< of each entry of `partner`

    [[nodiscard]] std::size_t vertex_count() const { return first.size() - 1; }
    [[nodiscard]] std::size_t degree(std::size_t v) const { return first[v + 1] - first[v]; }
    [[nodiscard]] std::span<const std::int32_t> partners(std::size_t v) const {
        return std::span(partner).subspan(first[v], degree(v));
    }
    /// Entry of `w` among the partners of v; partner.size() when there is none. O(log degree).
    [[nodiscard]] std::size_t entry(std::size_t v, std::int32_t w) const;
};

RankGraph rank_graph(const Problem& problem);

/// Without the edges whose entry is false in `keep`, which says the same for both ends of an edge.
RankGraph thinned(const RankGraph& graph, const std::vector<std::uint8_t>& keep);

/// What is left of an edge when its ends have a better way: edges that are lighter than two others with which they form
/// a triangle are dropped (a relative neighbourhood graph, Toussaint 1980). Of a stencil with diagonals whose messages
/// are smaller the faces stay.
RankGraph without_lighter_edges_of_triangles(const RankGraph& graph);

/// The same with the share of partners that the ends have in common in place of bytes: of a stencil with diagonals of
/// equal messages the faces stay.
RankGraph without_looser_edges_of_triangles(const RankGraph& graph);

/// Edges of at least the share of the heaviest.
RankGraph heavy_edges(const RankGraph& graph, double share);

}  // namespace haichi
