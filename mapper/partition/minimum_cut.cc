#include "mapper/partition/minimum_cut.h"

#include <algorithm>
#include <numeric>

namespace haichi {

void MinimumCut::reset(std::size_t vertex_count) {
    arcs_.clear();
    tail_.clear();
    terminal_.assign(vertex_count, 0);
}

void MinimumCut::add_edge(std::int32_t a, std::int32_t b, std::int64_t capacity) {
    arcs_.push_back({b, capacity});
    tail_.push_back(a);
    arcs_.push_back({a, capacity});
    tail_.push_back(b);
}

void MinimumCut::link_arcs() {
    const std::size_t count = terminal_.size();
    first_.assign(count + 1, 0);
    for (const std::int32_t v : tail_) ++first_[static_cast<std::size_t>(v) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    out_.resize(arcs_.size());
    next_.assign(first_.begin(), first_.end() - 1);
    for (std::size_t arc = 0; arc < arcs_.size(); ++arc) {
        out_[next_[static_cast<std::size_t>(tail_[arc])]++] = static_cast<std::int32_t>(arc);
    }
}

/// Finds the distances to the sink in the residual graph. Returns whether the source reaches the sink.
bool MinimumCut::find_distances() {
    distance_.assign(terminal_.size(), -1);
    queue_.clear();
    bool is_reached = false;
    for (std::size_t v = 0; v < terminal_.size(); ++v) {
        if (terminal_[v] >= 0) continue;
        distance_[v] = 1;
        queue_.push_back(static_cast<std::int32_t>(v));
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const auto v = static_cast<std::size_t>(queue_[i]);
        is_reached = is_reached || terminal_[v] > 0;
        for (std::size_t at = first_[v]; at < first_[v + 1]; ++at) {
            const auto arc = static_cast<std::size_t>(out_[at]);
            const std::int32_t u = arcs_[arc].to;
            if (distance_[static_cast<std::size_t>(u)] >= 0 || arcs_[arc ^ 1].left == 0) continue;
            distance_[static_cast<std::size_t>(u)] = distance_[v] + 1;
            queue_.push_back(u);
        }
    }
    return is_reached;
}

/// Sends flow from a vertex at the source along shortest paths, as long as there are any.
std::int64_t MinimumCut::augment_from(std::int32_t source_vertex) {
    std::int64_t sent = 0;
    const auto s = static_cast<std::size_t>(source_vertex);
    path_.clear();
    std::int32_t v = source_vertex;
    while (terminal_[s] > 0) {
        const auto i = static_cast<std::size_t>(v);
        if (terminal_[i] < 0) {
            std::int64_t amount = std::min(terminal_[s], -terminal_[i]);
            for (const std::int32_t arc : path_) amount = std::min(amount, arcs_[static_cast<std::size_t>(arc)].left);
            std::size_t keep = path_.size();
            for (std::size_t k = path_.size(); k > 0; --k) {
                const auto arc = static_cast<std::size_t>(path_[k - 1]);
                arcs_[arc].left -= amount;
                arcs_[arc ^ 1].left += amount;
                if (arcs_[arc].left == 0) keep = k - 1;
            }
            terminal_[s] -= amount;
            terminal_[i] += amount;
            sent += amount;
            if (keep < path_.size()) {
                v = tail_[static_cast<std::size_t>(path_[keep])];
                path_.resize(keep);
            }
            // Otherwise the arc to the sink is full, and the search continues from this vertex.
            continue;
        }
        bool has_advanced = false;
        for (; next_[i] < first_[i + 1]; ++next_[i]) {
            const std::int32_t arc = out_[next_[i]];
            const Arc& out = arcs_[static_cast<std::size_t>(arc)];
            const auto u = static_cast<std::size_t>(out.to);
            if (out.left == 0 || distance_[u] != distance_[i] - 1) continue;
            path_.push_back(arc);
            v = out.to;
            has_advanced = true;
            break;
        }
        if (has_advanced) continue;
        if (path_.empty()) return sent;
        v = tail_[static_cast<std::size_t>(path_.back())];
        path_.pop_back();
        ++next_[static_cast<std::size_t>(v)];
    }
    return sent;
}

std::int64_t MinimumCut::solve() {
    link_arcs();
    std::int64_t flow = 0;
    while (find_distances()) {
        next_.assign(first_.begin(), first_.end() - 1);
        for (std::size_t v = 0; v < terminal_.size(); ++v) {
            if (terminal_[v] > 0 && distance_[v] >= 0) flow += augment_from(static_cast<std::int32_t>(v));
        }
    }
    return flow;
}

std::vector<std::uint8_t> MinimumCut::source_side(bool is_nearest_to_source) const {
    const std::size_t count = terminal_.size();
    std::vector<std::uint8_t> reached(count, 0);
    std::vector<std::int32_t> queue;
    for (std::size_t v = 0; v < count; ++v) {
        if (is_nearest_to_source ? terminal_[v] <= 0 : terminal_[v] >= 0) continue;
        reached[v] = 1;
        queue.push_back(static_cast<std::int32_t>(v));
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const auto v = static_cast<std::size_t>(queue[i]);
        for (std::size_t at = first_[v]; at < first_[v + 1]; ++at) {
            const auto arc = static_cast<std::size_t>(out_[at]);
            const auto u = static_cast<std::size_t>(arcs_[arc].to);
            const std::int64_t left = arcs_[is_nearest_to_source ? arc : arc ^ 1].left;
            if (reached[u] != 0 || left == 0) continue;
            reached[u] = 1;
            queue.push_back(static_cast<std::int32_t>(u));
        }
    }
    if (!is_nearest_to_source) {
        for (std::uint8_t& side : reached) side ^= 1;
    }
    return reached;
}

}  // namespace haichi
