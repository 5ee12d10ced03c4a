#include "mapper/partition/partition_graph.h"

#include <numeric>

namespace haichi {

namespace {

/// Matches vertices. Returns the partner of each vertex; an unmatched vertex is its own partner.
std::vector<std::int32_t> heavy_edge_matching(const PartitionGraph& graph, std::span<const BlockOfVertex* const> kept,
                                              std::int64_t most_weight, Random& random) {
    const std::size_t count = graph.vertex_count();
    std::vector<std::int32_t> partner(count, -1);
    std::vector<std::int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    for (const std::int32_t v : order) {
        const auto i = static_cast<std::size_t>(v);
        if (partner[i] >= 0) continue;
        partner[i] = v;
        double best = 0;
        for (std::size_t e = graph.first[i]; e < graph.first[i + 1]; ++e) {
            const auto u = static_cast<std::size_t>(graph.to[e]);
            if (partner[u] >= 0 || graph.vertex_weight[i] + graph.vertex_weight[u] > most_weight) continue;
            const auto weight = static_cast<double>(graph.weight[e]);
            const double rating = weight * weight / static_cast<double>(graph.vertex_weight[u]);
            if (rating <= best) continue;
            bool is_split = false;
            for (const BlockOfVertex* blocks : kept) is_split = is_split || (*blocks)[i] != (*blocks)[u];
            if (is_split) continue;
            best = rating;
            partner[i] = graph.to[e];
        }
        partner[static_cast<std::size_t>(partner[i])] = v;
    }
    return partner;
}

}  // namespace

std::int64_t PartitionGraph::total_vertex_weight() const {
    return std::reduce(vertex_weight.begin(), vertex_weight.end(), std::int64_t{0});
}

PartitionGraph part_of(const PartitionGraph& graph, std::span<const std::int32_t> members,
                       std::vector<std::int32_t>& inner) {
    PartitionGraph part;
    part.first.reserve(members.size() + 1);
    part.vertex_weight.reserve(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        inner[static_cast<std::size_t>(members[i])] = static_cast<std::int32_t>(i);
    }
    for (const std::int32_t member : members) {
        const auto v = static_cast<std::size_t>(member);
        part.vertex_weight.push_back(graph.vertex_weight[v]);
        for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const std::int32_t u = inner[static_cast<std::size_t>(graph.to[e])];
            if (u < 0) continue;
            part.to.push_back(u);
            part.weight.push_back(graph.weight[e]);
        }
        part.first.push_back(part.to.size());
    }
    for (const std::int32_t member : members) inner[static_cast<std::size_t>(member)] = -1;
    return part;
}

CoarserGraph coarsen(const PartitionGraph& graph, std::span<const BlockOfVertex* const> kept, std::int64_t most_weight,
                     Random& random) {
    const std::vector<std::int32_t> partner = heavy_edge_matching(graph, kept, most_weight, random);
    const std::size_t count = graph.vertex_count();
    CoarserGraph out;
    out.coarse_of.assign(count, -1);
    std::int32_t coarse_count = 0;
    for (std::size_t v = 0; v < count; ++v) {
        const auto u = static_cast<std::size_t>(partner[v]);
        out.coarse_of[v] = u < v ? out.coarse_of[u] : coarse_count++;
    }
    PartitionGraph& coarse = out.graph;
    coarse.first.reserve(static_cast<std::size_t>(coarse_count) + 1);
    coarse.vertex_weight.reserve(static_cast<std::size_t>(coarse_count));
    coarse.to.reserve(graph.to.size());
    coarse.weight.reserve(graph.to.size());
    std::vector<std::size_t> edge_to(static_cast<std::size_t>(coarse_count), 0);  ///< 1 + edge of this row, if larger
    for (std::size_t v = 0; v < count; ++v) {
        const auto u = static_cast<std::size_t>(partner[v]);
        if (u < v) continue;
        const std::size_t row = coarse.to.size();
        const auto add = [&](std::size_t member) {
            for (std::size_t e = graph.first[member]; e < graph.first[member + 1]; ++e) {
                const std::int32_t target = out.coarse_of[static_cast<std::size_t>(graph.to[e])];
                if (target == out.coarse_of[v]) continue;
                std::size_t& at = edge_to[static_cast<std::size_t>(target)];
                if (at > row) {
                    coarse.weight[at - 1] += graph.weight[e];
                    continue;
                }
                coarse.to.push_back(target);
                coarse.weight.push_back(graph.weight[e]);
                at = coarse.to.size();
            }
        };
        add(v);
        if (u != v) add(u);
        coarse.vertex_weight.push_back(graph.vertex_weight[v] + (u == v ? 0 : graph.vertex_weight[u]));
        coarse.first.push_back(coarse.to.size());
    }
    return out;
}

}  // namespace haichi
