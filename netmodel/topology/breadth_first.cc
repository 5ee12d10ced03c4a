#include "netmodel/topology/breadth_first.h"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/reverse_graph.hpp>

namespace haichi {

namespace {

/// A queue that keeps what was in it.
class OrderQueue {
  public:
    explicit OrderQueue(std::vector<VertexId>& order) : order_(&order) {}

    void push(std::uint32_t v) { order_->push_back(VertexId(static_cast<std::size_t>(v))); }
    void pop() { ++first_; }
    [[nodiscard]] std::uint32_t top() const { return GraphArcs::number((*order_)[first_]); }
    [[nodiscard]] bool empty() const { return first_ == order_->size(); }

  private:
    std::vector<VertexId>* order_;
    std::size_t first_ = 0;
};

struct CountHops : boost::default_bfs_visitor {
    std::vector<std::int32_t>* distance;

    explicit CountHops(std::vector<std::int32_t>& d) : distance(&d) {}
    template <class Edge, class Arcs>
    void tree_edge(const Edge& edge, const Arcs& arcs) const {
        (*distance)[target(edge, arcs)] = (*distance)[source(edge, arcs)] + 1;
    }
};

}  // namespace

BreadthFirst::BreadthFirst(const Graph& graph)
    : arcs_(&graph.arcs()),
      distance_(static_cast<std::size_t>(graph.vertex_count())),
      color_(static_cast<std::size_t>(graph.vertex_count())) {
    by_distance_.reserve(distance_.size());
}

void BreadthFirst::begin(VertexId root, std::span<const std::uint8_t> is_closed) {
    std::ranges::fill(distance_, kUnreachable);
    std::ranges::fill(color_, boost::white_color);
    for (std::size_t v = 0; v < is_closed.size(); ++v) {
        if (is_closed[v] != 0) color_[v] = boost::black_color;
    }
    distance_[root.index()] = 0;
    by_distance_.clear();
}

template <class Arcs>
void BreadthFirst::visit(const Arcs& arcs, VertexId root) {
    OrderQueue queue(by_distance_);
    boost::breadth_first_visit(arcs, GraphArcs::number(root), queue, CountHops(distance_),
                               boost::make_iterator_property_map(color_.begin(), get(boost::vertex_index, arcs)));
}

void BreadthFirst::search_to(VertexId d, std::span<const std::uint8_t> is_closed) {
    begin(d, is_closed);
    visit(boost::make_reverse_graph(arcs_->graph), d);
}

void BreadthFirst::search_from(VertexId s) {
    begin(s, {});
    visit(arcs_->graph, s);
}

}  // namespace haichi
