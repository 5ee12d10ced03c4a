#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/errors.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// Collects the vertices and cables of a Graph in any order. A node and a switch may have the same name.
class GraphBuilder {
  public:
    /// A vertex id of the builder, which differs from the vertex id in the graph.
    using Vertex = std::size_t;

    /// Returns the vertex with this name; the first call creates it. Nodes are numbered in the order of creation.
    Vertex node(const std::string& name);
    Vertex network_switch(const std::string& name);
    /// Renumbers the nodes in the order of their names (is_before_by_number): n2 before n10.
    void sort_nodes();

    [[nodiscard]] bool has_node(const std::string& name) const { return node_of_name_.contains(name); }
    [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }

    /// Adds a cable: a link in each direction.
    void connect(Vertex a, Vertex b, std::int64_t bandwidth_bytes_per_s, std::optional<std::int64_t> latency_ps = {});
    /// Adds a link in one direction.
    void add_link(Vertex from, Vertex to, std::int64_t bandwidth_bytes_per_s,
                  std::optional<std::int64_t> latency_ps = {});

    /// One vertex of each connected component, in the order of creation.
    [[nodiscard]] std::vector<Vertex> parts() const;

    /// Builds the graph. Throws InputError, which names `file`, for all input that Graph refuses and for more than 64
    /// different bandwidths.
    [[nodiscard]] Graph graph(const std::string& file) const;

  private:
    struct Cable {
        Vertex from;
        Vertex to;
        std::int64_t bandwidth_bytes_per_s;
        std::optional<std::int64_t> latency_ps;
    };

    std::vector<std::string> names_;                          ///< by vertex
    std::vector<Vertex> nodes_;                               ///< in the order of the graph's terminals
    std::unordered_map<std::string, Vertex> node_of_name_;    // only for look-ups, never iterated
    std::unordered_map<std::string, Vertex> switch_of_name_;  // only for look-ups, never iterated
    std::vector<Cable> links_;
};

/// Compares names with numbers in them by value: "n2" < "n10".
bool is_before_by_number(std::string_view a, std::string_view b);

}  // namespace haichi
