#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodel/topology/ids.h"

namespace haichi {

class GraphArcs;

/// Any network, link by link, as a graph file describes it. Terminals are the vertices 0..terminal_count()-1, the other
/// vertices are switches. A terminal may have several links, and forward what is not for it. A value.
class Graph {
  public:
    static constexpr std::int32_t kMostTerminals = 8192;
    static constexpr std::int32_t kMostVertices = 65'536;
    static constexpr std::int32_t kMostLinks = 1 << 19;

    struct Link {
        VertexId from;
        VertexId to;
        std::int64_t bandwidth_bytes_per_s = 0;
        std::optional<std::int64_t> latency_ps;  ///< for the packet simulator; placement does not look at it

        friend bool operator==(const Link&, const Link&) = default;
    };

    /// The vertices, terminals first, by their names, and the links in the order of their numbers; parallel links are
    /// allowed. Throws OptionError for no terminal, too many of anything, an end that is no vertex, a link from a
    /// vertex to itself, a bandwidth below 1, and for a pair of terminals without a path, naming both.
    Graph(std::vector<std::string> vertex_names, std::int32_t terminal_count, std::vector<Link> links);

    [[nodiscard]] std::int32_t terminal_count() const { return terminal_count_; }
    [[nodiscard]] std::int32_t vertex_count() const { return static_cast<std::int32_t>(vertex_names_.size()); }
    [[nodiscard]] std::int32_t link_count() const { return static_cast<std::int32_t>(links_.size()); }
    [[nodiscard]] const std::string& vertex_name(VertexId v) const { return vertex_names_[v.index()]; }
    [[nodiscard]] const Link& link(LinkId link) const { return links_[link.index()]; }
    [[nodiscard]] const Link& link_ends(LinkId link) const { return links_[link.index()]; }
    /// How many links with the same ends come before this one: 0 unless there are parallel ones.
    [[nodiscard]] std::int32_t parallel_number(LinkId link) const;

    /// The links by their ends, for searches.
    [[nodiscard]] const GraphArcs& arcs() const { return *arcs_; }
    /// The larger number of links that leave or that enter v.
    [[nodiscard]] std::int32_t degree(VertexId v) const;
    /// The switch of a terminal that hangs on nothing else; an invalid id for any other vertex.
    [[nodiscard]] VertexId switch_of_host(VertexId v) const;
    /// Every link has one back: distances are the same both ways.
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
    std::shared_ptr<const GraphArcs> arcs_;  ///< copies share it
    bool is_symmetric_ = true;
};

}  // namespace haichi
