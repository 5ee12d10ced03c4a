#include "mapper/structure/rank_graph.h"

#include <algorithm>

namespace haichi {

namespace {

/// Removes every edge that is in a triangle whose other two edges are stronger.
RankGraph without_weak_edges_of_triangles(const RankGraph& graph, const std::vector<std::int64_t>& strength) {
    std::vector<std::uint8_t> keep(graph.partner.size(), 1);
    std::vector<std::int64_t> strength_to(graph.vertex_count(), -1);  // strength of the edges of the current vertex
    for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            strength_to[static_cast<std::size_t>(graph.partner[e])] = strength[e];
        }
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const auto w = static_cast<std::size_t>(graph.partner[e]);
            for (std::size_t f = graph.first[w]; f < graph.first[w + 1] && keep[e] != 0; ++f) {
                if (strength[f] <= strength[e]) continue;
                if (strength_to[static_cast<std::size_t>(graph.partner[f])] > strength[e]) keep[e] = 0;
            }
        }
        for (const std::int32_t w : graph.partners(v)) strength_to[static_cast<std::size_t>(w)] = -1;
    }
    return thinned(graph, keep);
}

/// For each edge: the number of common partners of its ends divided by the number of partners of either end. The
/// quotient suits the border of a grid, where both numbers are smaller. In units of 2^-20.
std::vector<std::int64_t> shares_of_common_partners(const RankGraph& graph) {
    constexpr std::size_t kOne = std::size_t{1} << 20;
    std::vector<std::int64_t> shares(graph.partner.size(), 0);
    std::vector<std::uint8_t> is_partner(graph.vertex_count(), 0);
    for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
        for (const std::int32_t w : graph.partners(v)) is_partner[static_cast<std::size_t>(w)] = 1;
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const auto w = static_cast<std::size_t>(graph.partner[e]);
            std::size_t common = 0;
            for (const std::int32_t x : graph.partners(w)) common += is_partner[static_cast<std::size_t>(x)];
            shares[e] = static_cast<std::int64_t>(kOne * common / (graph.degree(v) + graph.degree(w) - common));
        }
        for (const std::int32_t w : graph.partners(v)) is_partner[static_cast<std::size_t>(w)] = 0;
    }
    return shares;
}

}  // namespace

std::size_t RankGraph::entry(std::size_t v, std::int32_t w) const {
    const auto all = partners(v);
    const auto found = std::ranges::lower_bound(all, w);
    if (found == all.end() || *found != w) return partner.size();
    return first[v] + static_cast<std::size_t>(found - all.begin());
}

RankGraph rank_graph(const Problem& problem) {
    RankGraph graph;
    graph.first.reserve(static_cast<std::size_t>(problem.rank_count()) + 1);
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
        for (const Flow& flow : problem.flows(RankId(r))) {
            graph.partner.push_back(flow.partner.value);
            graph.bytes.push_back(flow.size_bytes);
        }
        graph.first.push_back(graph.partner.size());
    }
    return graph;
}

RankGraph thinned(const RankGraph& graph, const std::vector<std::uint8_t>& keep) {
    RankGraph result;
    result.first.reserve(graph.first.size());
    for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            if (keep[e] == 0) continue;
            result.partner.push_back(graph.partner[e]);
            result.bytes.push_back(graph.bytes[e]);
        }
        result.first.push_back(result.partner.size());
    }
    return result;
}

RankGraph without_lighter_edges_of_triangles(const RankGraph& graph) {
    return without_weak_edges_of_triangles(graph, graph.bytes);
}

RankGraph without_looser_edges_of_triangles(const RankGraph& graph) {
    return without_weak_edges_of_triangles(graph, shares_of_common_partners(graph));
}

RankGraph heavy_edges(const RankGraph& graph, double share) {
    std::int64_t heaviest = 0;
    for (const std::int64_t bytes : graph.bytes) heaviest = std::max(heaviest, bytes);
    std::vector<std::uint8_t> keep;
    keep.reserve(graph.bytes.size());
    for (const std::int64_t bytes : graph.bytes) {
        keep.push_back(static_cast<double>(bytes) >= share * static_cast<double>(heaviest) ? 1 : 0);
    }
    return thinned(graph, keep);
}

}  // namespace haichi
