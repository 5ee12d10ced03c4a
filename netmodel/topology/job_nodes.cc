#include "netmodel/topology/job_nodes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/errors.h"

namespace haichi {

JobNodes::JobNodes(std::int32_t terminals, std::vector<VertexId> vertex_of_node, std::span<const VertexId> faulty)
    : vertex_of_node_(std::move(vertex_of_node)) {
    sort(terminals);
    mark_faulty(terminals, faulty);
}

void JobNodes::sort(std::int32_t terminals) {
    count_ = vertex_of_node_.empty() ? terminals : static_cast<std::int32_t>(vertex_of_node_.size());
    if (vertex_of_node_.empty()) return;
    nodes_by_vertex_.resize(vertex_of_node_.size());
    for (std::size_t i = 0; i < nodes_by_vertex_.size(); ++i) nodes_by_vertex_[i] = NodeId(i);
    const auto vertex_of = [&](NodeId node) { return vertex_of_node_[node.index()]; };
    std::ranges::sort(nodes_by_vertex_, {}, vertex_of);
    const VertexId first = vertex_of(nodes_by_vertex_.front());
    const VertexId last = vertex_of(nodes_by_vertex_.back());
    if (first.value < 0 || last.value >= terminals) {
        throw OptionError("invalid node: " + std::to_string(first.value < 0 ? first.value : last.value) +
                          " (the machine has " + std::to_string(terminals) + " nodes)");
    }
    const auto twice = std::ranges::adjacent_find(nodes_by_vertex_, {}, vertex_of);
    if (twice != nodes_by_vertex_.end()) {
        throw OptionError("duplicate node " + std::to_string(vertex_of(*twice).value));
    }
    if (count_ == terminals && std::ranges::is_sorted(vertex_of_node_)) {  // the job is the whole machine
        vertex_of_node_.clear();
        nodes_by_vertex_.clear();
    }
}

void JobNodes::mark_faulty(std::int32_t terminals, std::span<const VertexId> faulty) {
    usable_count_ = count_;
    for (const VertexId v : faulty) {
        if (v.value < 0 || v.value >= terminals) {
            throw OptionError("faulty node " + std::to_string(v.value) + " is outside the machine's " +
                              std::to_string(terminals));
        }
        const NodeId node = at(v);
        if (!node.valid()) continue;
        is_usable_.resize(static_cast<std::size_t>(count_), 1);
        if (std::exchange(is_usable_[node.index()], 0) != 0) --usable_count_;
    }
    if (usable_count_ == 0) throw OptionError("all nodes of the job are faulty");
}

NodeId JobNodes::at(VertexId vertex) const {
    if (vertex_of_node_.empty()) {
        return vertex.value >= 0 && vertex.value < count_ ? NodeId(vertex.value) : NodeId{};
    }
    const auto vertex_of = [&](NodeId node) { return vertex_of_node_[node.index()]; };
    const auto found = std::ranges::lower_bound(nodes_by_vertex_, vertex, {}, vertex_of);
    return found != nodes_by_vertex_.end() && vertex_of(*found) == vertex ? *found : NodeId{};
}

std::vector<NodeId> JobNodes::usable_by_vertex() const {
    std::vector<NodeId> nodes;
    for (std::int32_t i = 0; i < count_; ++i) {
        const NodeId node = nodes_by_vertex_.empty() ? NodeId(i) : nodes_by_vertex_[static_cast<std::size_t>(i)];
        if (is_usable(node)) nodes.push_back(node);
    }
    return nodes;
}

}  // namespace haichi
