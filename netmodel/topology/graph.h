#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

class GraphArcs;

/// Any network, link by link, as a graph file describes it. Terminals are the vertices 0..terminal_count()-1, the
/// others are switches. A terminal may have several links and forward packets for other vertices. A value.
class Graph {
  public:
    static constexpr std::int32_t kMostTerminals = 1 << 18;
    static constexpr std::int32_t kMostVertices = 1 << 19;
    static constexpr std::int32_t kMostLinks = 1 << 21;

    struct Link {
        VertexId from;
        VertexId to;
        std::int64_t bandwidth_bytes_per_s = 0;
        std::optional<std::int64_t> latency_ps;  ///< for the packet simulator; ignored by placement

        friend bool operator==(const Link&, const Link&) = default;
    };

    /// Takes the names of the vertices, terminals first, and the links in the order of their numbers; parallel links
    /// are allowed. Throws OptionError for no terminal, and for too many terminals, vertices or links. Also throws it
    /// for a link with an invalid end, equal ends or a bandwidth below 1. Finally, throws it for a pair of terminals
    /// without a path, naming both.
    Graph(std::vector<std::string> vertex_names, std::int32_t terminal_count, std::vector<Link> links);

    [[nodiscard]] std::int32_t terminal_count() const { return terminal_count_; }
    [[nodiscard]] std::int32_t vertex_count() const { return static_cast<std::int32_t>(vertex_names_.size()); }
    [[nodiscard]] std::int32_t link_count() const { return static_cast<std::int32_t>(links_.size()); }
    [[nodiscard]] const std::string& vertex_name(VertexId v) const { return vertex_names_[v.index()]; }
    [[nodiscard]] const Link& link(LinkId link) const { return links_[link.index()]; }
    [[nodiscard]] const Link& link_ends(LinkId link) const { return links_[link.index()]; }
    /// Number of earlier links with the same ends; 0 unless there are parallel links.
    [[nodiscard]] std::int32_t parallel_number(LinkId link) const;

    /// The links sorted by their ends, for searches.
    [[nodiscard]] const GraphArcs& arcs() const { return *arcs_; }
    /// Number of links that leave v or of links that enter v, whichever is larger.
    [[nodiscard]] std::int32_t degree(VertexId v) const;
    /// The switch of a terminal whose only neighbour is a switch; invalid for any other vertex.
    [[nodiscard]] VertexId switch_of_host(VertexId v) const;
    /// True if every link has a reverse link. Distances are then symmetric.
    [[nodiscard]] bool is_symmetric() const { return is_symmetric_; }

    friend bool operator==(const Graph& a, const Graph& b) {
        return a.vertex_names_ == b.vertex_names_ && a.terminal_count_ == b.terminal_count_ && a.links_ == b.links_;
    }

  private:
    void check() const;
    void fill_arcs();
    void check_connected() const;

    std::vector<std::string> vertex_names_;
    std::int32_t terminal_count_ = 0;
    std::vector<Link> links_;
    std::shared_ptr<const GraphArcs> arcs_;  ///< shared by copies
    bool is_symmetric_ = true;
};

}  // namespace haichi
