#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

/// The terminals of a topology on which a job runs, and the subset that can have ranks. A value.
class JobNodes {
  public:
    /// `vertex_of_node` lists the job's nodes; empty means all of the `terminals`. Throws OptionError for nodes and
    /// faulty vertices that are not terminals, duplicate nodes, and a job whose nodes are all faulty.
    JobNodes(std::int32_t terminals, std::vector<VertexId> vertex_of_node, std::span<const VertexId> faulty);

    [[nodiscard]] std::int32_t count() const { return count_; }
    [[nodiscard]] std::int32_t usable_count() const { return usable_count_; }
    /// True if the job has all terminals, in ascending order.
    [[nodiscard]] bool are_whole() const { return vertex_of_node_.empty(); }
    [[nodiscard]] VertexId vertex(NodeId node) const {
        return vertex_of_node_.empty() ? VertexId(node.value) : vertex_of_node_[node.index()];
    }
    /// The job's node at a vertex; invalid for switches and other jobs' nodes. O(log nodes).
    [[nodiscard]] NodeId at(VertexId vertex) const;
    /// False for a faulty node, which keeps its number but has no rank and no routes.
    [[nodiscard]] bool is_usable(NodeId node) const { return is_usable_.empty() || is_usable_[node.index()] != 0; }
    [[nodiscard]] bool are_all_usable() const { return is_usable_.empty(); }
    /// The usable nodes, in the order of their vertices.
    [[nodiscard]] std::vector<NodeId> usable_by_vertex() const;

  private:
    void sort(std::int32_t terminals);
    void mark_faulty(std::int32_t terminals, std::span<const VertexId> faulty);

    std::vector<VertexId> vertex_of_node_;
    std::vector<NodeId> nodes_by_vertex_;  ///< only for node lists: nodes sorted by vertex
    std::vector<std::uint8_t> is_usable_;  ///< per node; empty if all are usable
    std::int32_t count_ = 0;
    std::int32_t usable_count_ = 0;
};

}  // namespace haichi
