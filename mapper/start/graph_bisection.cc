#include "mapper/start/graph_bisection.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace haichi {

namespace {

/// Number of vertices at which coarsening stops. Graph growing is fast and good on so few vertices.
constexpr std::size_t kCoarsest = 120;
constexpr int kMostPasses = 6;

std::span<const WeightedEdge> edges_of(const WeightedGraph& graph, std::size_t v) {
    return std::span(graph.edges).subspan(graph.first[v], graph.first[v + 1] - graph.first[v]);
}

std::int32_t largest_vertex(const WeightedGraph& graph) {
    return graph.vertex_weight.empty() ? 1 : std::ranges::max(graph.vertex_weight);
}

std::int64_t total_weight(const WeightedGraph& graph) {
    return std::accumulate(graph.vertex_weight.begin(), graph.vertex_weight.end(), std::int64_t{0});
}

std::int64_t distance_to(const SideWeightRange& range, std::int64_t weight) {
    return weight < range.fewest ? range.fewest - weight : std::max<std::int64_t>(weight - range.most, 0);
}

/// The state of vertex moves: sides, gains, and the vertices that may move next.
class Mover {
  public:
    Mover(const WeightedGraph& graph, Sides& sides)
        : graph_(graph), sides_(sides), gain_(sides.size()), moved_(sides.size(), 0) {
        for (std::size_t v = 0; v < sides.size(); ++v) {
            std::int64_t gain = sides[v] == 0 ? -graph.pull[v] : graph.pull[v];
            bool is_cut = false;
            for (const WeightedEdge& edge : edges_of(graph, v)) {
                const bool crosses = sides[static_cast<std::size_t>(edge.to)] != sides[v];
                is_cut = is_cut || crosses;
                gain += crosses ? edge.weight : -edge.weight;
            }
            gain_[v] = gain;
            if (is_cut || gain >= 0) offer(v);
            if (sides[v] == 0) weight0_ += graph.vertex_weight[v];
        }
    }

    [[nodiscard]] std::int64_t weight0() const { return weight0_; }
    /// Decrease of the cost since construction.
    [[nodiscard]] std::int64_t gained() const { return gained_; }
    [[nodiscard]] bool has_moved(std::size_t v) const { return moved_[v] != 0; }
    [[nodiscard]] std::int64_t gain(std::size_t v) const { return gain_[v]; }

    /// The vertex whose move away from `side` gains most, or -1 if none is available. Ties go to the vertex whose gain
    /// changed last.
    std::int32_t best_of(std::uint8_t side) {
        std::vector<Offer>& heap = offers_[side];
        while (!heap.empty()) {
            const Offer& top = heap.front();
            const auto v = static_cast<std::size_t>(top.vertex);
            if (moved_[v] == 0 && gain_[v] == top.gain) return top.vertex;
            std::ranges::pop_heap(heap, before);
            heap.pop_back();
        }
        return -1;
    }

    void offer(std::size_t v) {
        std::vector<Offer>& heap = offers_[sides_[v]];
        heap.push_back({gain_[v], ++touched_, static_cast<std::int32_t>(v)});
        std::ranges::push_heap(heap, before);
    }

    void move(std::size_t v) {
        moved_[v] = 1;
        gained_ += gain_[v];
        weight0_ += sides_[v] == 0 ? -graph_.vertex_weight[v] : graph_.vertex_weight[v];
        sides_[v] ^= 1;
        for (const WeightedEdge& edge : edges_of(graph_, v)) {
            const auto u = static_cast<std::size_t>(edge.to);
            if (moved_[u] != 0) continue;
            gain_[u] += sides_[u] == sides_[v] ? -2 * edge.weight : 2 * edge.weight;
            offer(u);
        }
    }

  private:
    struct Offer {
        std::int64_t gain = 0;
        std::uint32_t touched = 0;
        std::int32_t vertex = 0;
    };
    static bool before(const Offer& a, const Offer& b) {
        return a.gain != b.gain ? a.gain < b.gain : a.touched < b.touched;
    }

    const WeightedGraph& graph_;
    Sides& sides_;
    std::vector<std::int64_t> gain_;
    std::vector<std::uint8_t> moved_;
    std::vector<Offer> offers_[2];  ///< heaps; entries of moved vertices and of old gains are skipped
    std::uint32_t touched_ = 0;
    std::int64_t weight0_ = 0;
    std::int64_t gained_ = 0;
};

/// A sequence of vertex moves. The moves up to its best state are kept.
class Moves {
  public:
    Moves(Mover& mover, SideWeightRange range)
        : mover_(mover), range_(range), violation_(distance_to(range, mover.weight0())) {}

    void move(std::int32_t vertex) {
        mover_.move(static_cast<std::size_t>(vertex));
        moves_.push_back(vertex);
        const std::int64_t now = distance_to(range_, mover_.weight0());
        if (now > violation_ || (now == violation_ && mover_.gained() <= best_gained_)) return;
        violation_ = now;
        best_gained_ = mover_.gained();
        kept_ = moves_.size();
    }
    void undo_rest(Sides& sides) const {
        for (std::size_t i = moves_.size(); i > kept_; --i) sides[static_cast<std::size_t>(moves_[i - 1])] ^= 1;
    }

    [[nodiscard]] std::int64_t violation() const { return violation_; }
    [[nodiscard]] std::int64_t best_gained() const { return best_gained_; }
    [[nodiscard]] std::size_t count() const { return moves_.size(); }
    [[nodiscard]] std::size_t kept() const { return kept_; }

  private:
    Mover& mover_;
    SideWeightRange range_;
    std::int64_t violation_;  ///< this and the next two members describe the best state
    std::int64_t best_gained_ = 0;
    std::size_t kept_ = 0;
    std::vector<std::int32_t> moves_;
};

/// One pass. Every vertex moves at most once, even if that increases the cost. The best state is then restored. Returns
/// true if that state is better than the first one.
bool refine_once(const WeightedGraph& graph, SideWeightRange range, Sides& sides) {
    const std::size_t count = sides.size();
    const std::size_t patience = 50 + count / 20;
    const std::int64_t slack = largest_vertex(graph) + static_cast<std::int64_t>(count / 200);
    Mover mover(graph, sides);
    Moves moves(mover, range);
    if (moves.violation() > 0) {
        const std::uint8_t heavy = mover.weight0() > range.most ? 0 : 1;
        for (std::size_t v = 0; v < count; ++v) {
            if (sides[v] == heavy) mover.offer(v);
        }
    }
    while (moves.count() - moves.kept() < patience || moves.violation() > 0) {
        const std::int32_t candidates[2] = {mover.best_of(0), mover.best_of(1)};
        std::int32_t chosen = -1;
        std::int64_t chosen_gain = 0;
        std::int64_t chosen_distance = 0;
        const std::int64_t here = distance_to(range, mover.weight0());
        for (std::uint8_t side = 0; side < 2; ++side) {
            if (candidates[side] < 0) continue;
            const auto v = static_cast<std::size_t>(candidates[side]);
            const std::int64_t weight = graph.vertex_weight[v];
            const std::int64_t distance = distance_to(range, mover.weight0() + (side == 0 ? -weight : weight));
            if (distance > slack && distance >= here) continue;
            if (chosen >= 0) {
                // Outside the range by more than the slack, only moves back towards the range are allowed. The test
                // above permits only these, unless both sides exceed the slack.
                if (mover.gain(v) < chosen_gain) continue;
                if (mover.gain(v) == chosen_gain && distance >= chosen_distance) continue;
            }
            chosen = candidates[side];
            chosen_gain = mover.gain(v);
            chosen_distance = distance;
        }
        if (chosen < 0) break;
        moves.move(chosen);
    }
    moves.undo_rest(sides);
    return moves.kept() > 0;
}

/// Grows side 0 from one vertex by the best gains. The result is the best state with a weight in the range.
Sides grow(const WeightedGraph& graph, SideWeightRange range, std::size_t seed_vertex, std::int64_t& cost) {
    const std::size_t count = graph.vertex_count();
    Sides sides(count, 1);
    Mover mover(graph, sides);
    Moves moves(mover, range);
    std::size_t next = seed_vertex;
    while (mover.weight0() < range.most && moves.count() < count) {
        std::int32_t chosen = moves.count() == 0 ? static_cast<std::int32_t>(seed_vertex) : mover.best_of(1);
        if (chosen < 0) {
            // The connected component is exhausted, so growing continues with the next vertex by index.
            while (mover.has_moved(next)) next = (next + 1) % count;
            chosen = static_cast<std::int32_t>(next);
        }
        moves.move(chosen);
    }
    moves.undo_rest(sides);
    cost = -moves.best_gained();
    return sides;
}

std::int64_t cost_of(const WeightedGraph& graph, const Sides& sides) {
    std::int64_t twice_cut = 0;
    std::int64_t pulls = 0;
    for (std::size_t v = 0; v < sides.size(); ++v) {
        if (sides[v] != 0) pulls += graph.pull[v];
        for (const WeightedEdge& edge : edges_of(graph, v)) {
            if (sides[static_cast<std::size_t>(edge.to)] != sides[v]) twice_cut += edge.weight;
        }
    }
    return twice_cut / 2 + pulls;
}

std::int64_t weight_of_side_0(const WeightedGraph& graph, const Sides& sides) {
    std::int64_t weight = 0;
    for (std::size_t v = 0; v < sides.size(); ++v) weight += sides[v] == 0 ? graph.vertex_weight[v] : 0;
    return weight;
}

Sides bisect_coarsest(const WeightedGraph& graph, SideWeightRange range, int growths, Random& random) {
    const std::size_t count = graph.vertex_count();
    Sides best;
    std::pair<std::int64_t, std::int64_t> best_key;
    for (int i = 0; i < growths; ++i) {
        // The first growth starts at the vertex with the strongest pull to side 0. This is decisive when the pulls
        // leave little choice.
        const auto seed_vertex =
            i == 0 ? static_cast<std::size_t>(std::ranges::max_element(graph.pull) - graph.pull.begin())
                   : std::size_t{random.below(static_cast<std::uint32_t>(count))};
        std::int64_t cost = 0;
        Sides sides = grow(graph, range, seed_vertex, cost);
        refine_bisection(graph, range, sides);
        const std::pair key(distance_to(range, weight_of_side_0(graph, sides)), cost_of(graph, sides));
        if (best.empty() || key < best_key) {
            best_key = key;
            best = std::move(sides);
        }
    }
    return best;
}

/// Returns the coarse vertex of each vertex. Pairs vertices along heavy edges first. Remaining vertices are paired if
/// they share a neighbour or have none, because stars and isolated vertices would not shrink otherwise.
std::vector<std::int32_t> match(const WeightedGraph& graph, std::int64_t most_weight, Random& random,
                                std::size_t& coarse_count) {
    const std::size_t count = graph.vertex_count();
    std::vector<std::int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    std::vector<std::int32_t> coarse(count, -1);
    std::vector<std::int32_t> waiting(count + 1, -1);
    coarse_count = 0;
    const auto fits = [&](std::size_t v, std::size_t u) {
        return std::int64_t{graph.vertex_weight[v]} + graph.vertex_weight[u] <= most_weight;
    };
    std::vector<std::pair<std::size_t, std::size_t>> left;  // vertex, its heaviest neighbour
    for (const std::int32_t next : order) {
        const auto v = static_cast<std::size_t>(next);
        if (coarse[v] >= 0) continue;
        std::size_t partner = count;
        std::size_t heaviest = count;
        std::int64_t weight = 0;
        std::int64_t heaviest_weight = 0;
        for (const WeightedEdge& edge : edges_of(graph, v)) {
            const auto u = static_cast<std::size_t>(edge.to);
            if (edge.weight > heaviest_weight) {
                heaviest = u;
                heaviest_weight = edge.weight;
            }
            if (edge.weight > weight && coarse[u] < 0 && fits(v, u)) {
                partner = u;
                weight = edge.weight;
            }
        }
        if (partner == count) {
            left.emplace_back(v, heaviest);
            continue;
        }
        coarse[v] = coarse[partner] = static_cast<std::int32_t>(coarse_count++);
    }
    for (const auto& [v, neighbour] : left) {
        if (coarse[v] >= 0) continue;
        std::int32_t& other = waiting[neighbour];
        if (other >= 0 && coarse[static_cast<std::size_t>(other)] < 0 && fits(v, static_cast<std::size_t>(other))) {
            coarse[v] = coarse[static_cast<std::size_t>(other)] = static_cast<std::int32_t>(coarse_count++);
            other = -1;
        } else {
            other = static_cast<std::int32_t>(v);
        }
    }
    for (const auto& [v, neighbour] : left) {
        if (coarse[v] < 0) coarse[v] = static_cast<std::int32_t>(coarse_count++);
    }
    return coarse;
}

WeightedGraph contract(const WeightedGraph& graph, const std::vector<std::int32_t>& coarse, std::size_t coarse_count) {
    WeightedGraph result;
    result.vertex_weight.assign(coarse_count, 0);
    result.pull.assign(coarse_count, 0);
    result.first.reserve(coarse_count + 1);
    result.edges.reserve(graph.edges.size());
    std::vector<std::int32_t> members(2 * coarse_count, -1);
    for (std::size_t v = 0; v < coarse.size(); ++v) {
        const auto c = static_cast<std::size_t>(coarse[v]);
        members[2 * c + (members[2 * c] < 0 ? 0 : 1)] = static_cast<std::int32_t>(v);
        result.vertex_weight[c] += graph.vertex_weight[v];
        result.pull[c] += graph.pull[v];
    }
    std::vector<std::size_t> place(coarse_count, 0);  // index of edge (c, u) plus 1; older entries are below start
    for (std::size_t c = 0; c < coarse_count; ++c) {
        const std::size_t start = result.edges.size();
        for (std::size_t m = 2 * c; m < 2 * c + 2 && members[m] >= 0; ++m) {
            for (const WeightedEdge& edge : edges_of(graph, static_cast<std::size_t>(members[m]))) {
                const std::int32_t u = coarse[static_cast<std::size_t>(edge.to)];
                if (static_cast<std::size_t>(u) == c) continue;
                std::size_t& at = place[static_cast<std::size_t>(u)];
                if (at > start) {
                    result.edges[at - 1].weight += edge.weight;
                } else {
                    result.edges.push_back({u, edge.weight});
                    at = result.edges.size();
                }
            }
        }
        result.first.push_back(result.edges.size());
    }
    return result;
}

}  // namespace

void refine_bisection(const WeightedGraph& graph, SideWeightRange range, Sides& sides) {
    for (int pass = 0; pass < kMostPasses && refine_once(graph, range, sides); ++pass) {
    }
}

Sides bisect(const WeightedGraph& graph, SideWeightRange range, int growths, Random& random) {
    if (graph.vertex_count() == 0) return {};
    struct Level {
        WeightedGraph graph;
        std::vector<std::int32_t> coarse_of_finer;  ///< coarse vertex of each vertex in the finer graph
    };
    const std::int64_t most_weight =
        std::max<std::int64_t>(2, 3 * total_weight(graph) / static_cast<std::int64_t>(2 * kCoarsest));
    std::vector<Level> levels;
    const WeightedGraph* finest = &graph;
    while (finest->vertex_count() > kCoarsest) {
        std::size_t coarse_count = 0;
        std::vector<std::int32_t> coarse = match(*finest, most_weight, random, coarse_count);
        if (coarse_count > finest->vertex_count() - finest->vertex_count() / 20) break;
        WeightedGraph contracted = contract(*finest, coarse, coarse_count);
        levels.push_back({std::move(contracted), std::move(coarse)});
        finest = &levels.back().graph;
    }
    // Widens the range, because whole coarse vertices cannot meet a narrow one. Finer levels correct the weight.
    const auto range_at = [&range](const WeightedGraph& level) {
        const std::int64_t half = largest_vertex(level) / 2;
        return SideWeightRange{range.fewest - half, range.most + half};
    };
    Sides sides = bisect_coarsest(*finest, range_at(*finest), growths, random);
    while (!levels.empty()) {
        const Level level = std::move(levels.back());
        levels.pop_back();
        const WeightedGraph& finer = levels.empty() ? graph : levels.back().graph;
        Sides projected(finer.vertex_count());
        for (std::size_t v = 0; v < projected.size(); ++v) {
            projected[v] = sides[static_cast<std::size_t>(level.coarse_of_finer[v])];
        }
        sides = std::move(projected);
        refine_bisection(finer, range_at(finer), sides);
    }
    return sides;
}

}  // namespace haichi
