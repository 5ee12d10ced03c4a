#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace haichi {

/// Minimum cut between two terminals in a small graph, by the blocking flows of Dinic (1970). Memory is reused for the
/// next cut.
class MinimumCut {
  public:
    /// Begins a graph without edges.
    void reset(std::size_t vertex_count);
    /// An undirected edge.
    void add_edge(std::int32_t a, std::int32_t b, std::int64_t capacity);
    /// An edge from the source to v if `pull` is positive, else from v to the sink.
    void set_terminal(std::int32_t v, std::int64_t pull) { terminal_[static_cast<std::size_t>(v)] = pull; }

    /// Returns the weight of the minimum cut. May be called once for each graph.
    std::int64_t solve();
    /// After solve(), 1 for each vertex on the source's side of a minimum cut. The cut is the one nearest to the source
    /// or, if false, to the sink.
    [[nodiscard]] std::vector<std::uint8_t> source_side(bool is_nearest_to_source) const;

  private:
    struct Arc {
        std::int32_t to;
        std::int64_t left;  ///< remaining capacity; the reverse of arc i is arc i XOR 1
    };

    void link_arcs();
    bool find_distances();
    std::int64_t augment_from(std::int32_t source_vertex);

    std::vector<Arc> arcs_;
    std::vector<std::int32_t> tail_;
    std::vector<std::size_t> first_;
    std::vector<std::int32_t> out_;  ///< arcs by their tail
    std::vector<std::int64_t> terminal_;
    std::vector<std::int32_t> distance_;  ///< to the sink
    std::vector<std::size_t> next_;
    std::vector<std::int32_t> queue_;
    std::vector<std::int32_t> path_;
};

}  // namespace haichi
