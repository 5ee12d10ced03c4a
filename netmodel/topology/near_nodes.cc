#include "netmodel/topology/near_nodes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "netmodel/topology/equal_rows.h"
#include "netmodel/topology/topology.h"

namespace haichi {

namespace {

/// A list per vertex, as compressed rows.
template <class Entry>
class Rows {
  public:
    /// `visit` must call its argument with each vertex and an entry of the vertex's list.
    template <class Visit>
    Rows(std::int32_t vertices, const Visit& visit) : first_(static_cast<std::size_t>(vertices) + 1, 0) {
        visit([&](VertexId v, Entry) { ++first_[v.index() + 1]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        entries_.resize(first_.back());
        end_.assign(first_.begin(), first_.end() - 1);
        visit([&](VertexId v, Entry entry) { entries_[end_[v.index()]++] = entry; });
        for (std::size_t v = 0; v < end_.size(); ++v) {
            const auto row = std::span(entries_).subspan(first_[v], end_[v] - first_[v]);
            std::ranges::sort(row);
            // Not std::ranges::unique, because clang 14 does not compile its result for a span.
            const auto end_of_unique = std::unique(row.begin(), row.end());
            end_[v] = first_[v] + static_cast<std::uint32_t>(end_of_unique - row.begin());
        }
    }
    /// Ascending, without duplicates.
    [[nodiscard]] std::span<const Entry> of(VertexId v) const {
        return std::span(entries_).subspan(first_[v.index()], end_[v.index()] - first_[v.index()]);
    }

  private:
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> end_;
    std::vector<Entry> entries_;
};

/// The vertices to which links from each vertex lead.
struct Successors {
    Rows<NodeId> usable;    ///< usable nodes of the job
    Rows<VertexId> others;  ///< switches and other nodes

    Successors(const Topology& topology, const JobNodes& job)
        : usable(topology.vertex_count(),
                 [&](const auto& take) {
                     visit(topology, [&](const LinkEnds& ends) {
                         if (is_usable(job, ends.to)) take(ends.from, job.at(ends.to));
                     });
                 }),
          others(topology.vertex_count(), [&](const auto& take) {
              visit(topology, [&](const LinkEnds& ends) {
                  if (!is_usable(job, ends.to)) take(ends.from, ends.to);
              });
          }) {}

  private:
    static bool is_usable(const JobNodes& job, VertexId v) { return job.at(v).valid() && job.is_usable(job.at(v)); }
    template <class Take>
    static void visit(const Topology& topology, const Take& take) {
        for (std::int32_t l = 0; l < topology.link_count(); ++l) {
            if (topology.link_exists(LinkId(l))) take(topology.link_ends(LinkId(l)));
        }
    }
};

}  // namespace

NearNodes NearNodes::on_grid(const Grid& grid, const JobNodes& job) {
    NearNodes near;
    near.first_.reserve(static_cast<std::size_t>(job.count()));
    near.count_.reserve(static_cast<std::size_t>(job.count()));
    near.near_.reserve(static_cast<std::size_t>(job.count()) * static_cast<std::size_t>(grid.links_per_vertex()));
    const auto takes_ranks = [&](NodeId node) { return node.valid() && job.is_usable(node); };
    for (std::int32_t i = 0; i < job.count(); ++i) {
        const std::size_t first = near.near_.size();
        near.first_.push_back(static_cast<std::uint32_t>(first));
        for (std::size_t k = 0; k < grid.axis_count(); ++k) {
            const VertexId plus = grid.neighbour(job.vertex(NodeId(i)), k, Sign::kPlus);
            const VertexId minus = grid.neighbour(job.vertex(NodeId(i)), k, Sign::kMinus);
            if (const NodeId node = job.at(plus); takes_ranks(node)) near.near_.push_back(node);
            if (minus == plus) continue;
            if (const NodeId node = job.at(minus); takes_ranks(node)) near.near_.push_back(node);
        }
        near.count_.push_back(static_cast<std::uint8_t>(near.near_.size() - first));
    }
    return near;
}

NearNodes NearNodes::in_blocks(std::int32_t terminals_of_block, const JobNodes& job) {
    NearNodes near;
    near.first_.assign(static_cast<std::size_t>(job.count()), 0);
    near.count_.assign(static_cast<std::size_t>(job.count()), 0);
    const std::vector<NodeId> nodes = job.usable_by_vertex();
    near.near_.reserve(2 * nodes.size());
    const auto block = [&](std::size_t i) { return job.vertex(nodes[i]).value / terminals_of_block; };
    // Writes the nodes of a block twice, g0 g1 .. gk g0 g1 .., so that a node's list is the window that follows the
    // node.
    for (std::size_t begin = 0; begin < nodes.size();) {
        std::size_t end = begin + 1;
        while (end < nodes.size() && block(end) == block(begin)) ++end;
        const std::size_t size = end - begin;
        for (std::size_t i = begin; i < end; ++i) {
            near.first_[nodes[i].index()] = static_cast<std::uint32_t>(near.near_.size() + (i - begin) + 1);
            near.count_[nodes[i].index()] = static_cast<std::uint8_t>(std::min(size - 1, kMost));
        }
        for (std::size_t i = 0; i < 2 * size; ++i) near.near_.push_back(nodes[begin + i % size]);
        begin = end;
    }
    return near;
}

NearNodes NearNodes::by_search(const Topology& topology, const JobNodes& job) {
    NearNodes near;
    const Successors successors(topology, job);
    // By group of vertices with the same successors: the node whose search followed them last.
    const std::vector<std::uint32_t> group =
        equal_rows(static_cast<std::size_t>(topology.vertex_count()),
                   [&](std::size_t v) { return successors.others.of(VertexId(v)); });
    std::vector<std::int32_t> followed_by(group.size(), -1);
    std::vector<std::int32_t> seen_by(static_cast<std::size_t>(topology.vertex_count()), -1);
    std::vector<VertexId> level;
    std::vector<VertexId> next_level;
    std::vector<NodeId> found;
    for (std::int32_t i = 0; i < job.count(); ++i) {
        found.clear();
        level = {job.vertex(NodeId(i))};
        seen_by[level.front().index()] = i;
        while (found.empty() && !level.empty()) {
            for (const VertexId v : level) {
                // All nodes of the job may be at the same switch, so this visits only as many as fit the list.
                const std::span<const NodeId> nodes = successors.usable.of(v);
                const auto behind = std::ranges::upper_bound(nodes, NodeId(i));
                const auto first = static_cast<std::size_t>(behind - nodes.begin());
                near.visits_ += static_cast<std::int64_t>(std::min(nodes.size(), kMost));
                for (std::size_t k = 0; k < std::min(nodes.size(), kMost); ++k) {
                    const NodeId node = nodes[(first + k) % nodes.size()];
                    if (std::exchange(seen_by[job.vertex(node).index()], i) != i) found.push_back(node);
                }
            }
            if (!found.empty()) break;
            next_level.clear();
            for (const VertexId v : level) {
                if (std::exchange(followed_by[group[v.index()]], i) == i) continue;
                near.visits_ += std::ssize(successors.others.of(v));
                for (const VertexId next : successors.others.of(v)) {
                    if (std::exchange(seen_by[next.index()], i) != i) next_level.push_back(next);
                }
            }
            level.swap(next_level);
        }
        // Prefers the nodes after this one, so that no node is in all lists.
        std::ranges::sort(found, {}, [&](NodeId n) { return n.value > i ? n.value - i : n.value - i + job.count(); });
        if (found.size() > kMost) found.resize(kMost);
        near.first_.push_back(static_cast<std::uint32_t>(near.near_.size()));
        near.count_.push_back(static_cast<std::uint8_t>(found.size()));
        near.near_.insert(near.near_.end(), found.begin(), found.end());
    }
    return near;
}

}  // namespace haichi
