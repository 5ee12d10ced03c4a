#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapper/structure/rank_graph.h"

namespace haichi {

/// A division of the edges of a graph into cliques ("lines"); each edge is in one line. In a product of rings and
/// paths, every edge is its own line. In a product of complete graphs, such as pencils that transpose in rows and
/// columns, every row is a line.
struct Lines {
    std::vector<std::int32_t> of_edge;  ///< line of each entry of the graph's partners
    std::int32_t count = 0;
};

/// Returns nothing if the common partners of many edges are not cliques, as in a mesh of triangles, or if the work is
/// too large. About O(edges * log(degree)) for products, at most a few hundred million steps.
std::optional<Lines> find_lines(const RankGraph& graph);

/// A square without chords: edges (u, v) and (w, x) are opposite, and so are (u, w) and (v, x). Members are entries of
/// the graph's partners.
struct Square {
    std::size_t uv = 0, uw = 0, vx = 0, wx = 0;
};

/// One edge of each line at vertex u.
std::vector<std::size_t> one_edge_of_each_line(const RankGraph& graph, const Lines& lines, std::size_t u);

/// Approximate number of steps of for_each_square().
double work_of_squares(const RankGraph& graph, const Lines& lines);

/// Calls f(Square) for the squares at every vertex. At a vertex, considers one edge of each line. A square is found
/// from several of its corners. Returns false without any call if the work is too large.
template <class F>
bool for_each_square(const RankGraph& graph, const Lines& lines, F&& f) {
    constexpr double kMostWork = 3e8;
    if (work_of_squares(graph, lines) > kMostWork) return false;
    for (std::size_t u = 0; u < graph.vertex_count(); ++u) {
        const std::vector<std::size_t> edges = one_edge_of_each_line(graph, lines, u);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            for (std::size_t j = i + 1; j < edges.size(); ++j) {
                const auto v = static_cast<std::size_t>(graph.partner[edges[i]]);
                const auto w = static_cast<std::size_t>(graph.partner[edges[j]]);
                if (graph.entry(v, static_cast<std::int32_t>(w)) < graph.partner.size()) continue;
                std::size_t a = graph.first[v];
                std::size_t b = graph.first[w];
                while (a < graph.first[v + 1] && b < graph.first[w + 1]) {
                    const std::int32_t x = graph.partner[a];
                    const std::int32_t y = graph.partner[b];
                    if (x == y && static_cast<std::size_t>(x) != u && graph.entry(u, x) == graph.partner.size()) {
                        f(Square{.uv = edges[i], .uw = edges[j], .vx = a, .wx = b});
                    }
                    a += x <= y ? 1 : 0;
                    b += y <= x ? 1 : 0;
                }
            }
        }
    }
    return true;
}

}  // namespace haichi
