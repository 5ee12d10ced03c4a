#include "netmodel/topology/graph.h"

#include <algorithm>
#include <tuple>

#include "base/errors.h"

namespace haichi {

Graph::Graph(std::vector<std::string> vertex_names, std::int32_t terminal_count, std::vector<Link> links)
    : vertex_names_(std::move(vertex_names)), terminal_count_(terminal_count), links_(std::move(links)) {
    check();
    successors_ = adjacency(&Link::from, &Link::to);
    predecessors_ = adjacency(&Link::to, &Link::from);
    for (std::int32_t v = 0; v < vertex_count() && is_symmetric_; ++v) {
        is_symmetric_ = std::ranges::equal(successors(VertexId(v)), predecessors(VertexId(v)), {}, &Neighbour::vertex,
                                           &Neighbour::vertex);
    }
    check_connected();
}

void Graph::check() const {
    if (terminal_count_ < 1) throw OptionError("the graph has no terminal");
    if (terminal_count_ > kMostTerminals) {
        throw OptionError("a graph has at most " + std::to_string(kMostTerminals) + " terminals, not " +
                          std::to_string(terminal_count_));
    }
    if (vertex_names_.size() > static_cast<std::size_t>(kMostVertices)) {
        throw OptionError("a graph has at most " + std::to_string(kMostVertices) + " vertices, not " +
                          std::to_string(vertex_names_.size()));
    }
    if (terminal_count_ > vertex_count()) throw OptionError("a graph cannot have more terminals than vertices");
    if (links_.size() > static_cast<std::size_t>(kMostLinks)) {
        throw OptionError("a graph has at most " + std::to_string(kMostLinks) + " links, not " +
                          std::to_string(links_.size()));
    }
    for (const Link& link : links_) {
        for (const VertexId end : {link.from, link.to}) {
            if (end.value < 0 || end.value >= vertex_count()) {
                throw OptionError("a link ends at vertex " + std::to_string(end.value) + ", which does not exist");
            }
        }
        if (link.from == link.to) {
            throw OptionError("a link leads from " + shown(vertex_name(link.from)) + " to itself");
        }
        if (link.bandwidth_bytes_per_s < 1) {
            throw OptionError("the link from " + shown(vertex_name(link.from)) + " to " + shown(vertex_name(link.to)) +
                              " has no bandwidth");
        }
    }
}

Graph::Adjacency Graph::adjacency(VertexId Link::*here, VertexId Link::*there) const {
    std::vector<LinkId> order;
    order.reserve(links_.size());
    for (std::size_t l = 0; l < links_.size(); ++l) order.push_back(LinkId(l));
    std::ranges::sort(order, {}, [&](LinkId l) {
        const VertexId to = link(l).*there;
        return std::tuple(link(l).*here, to.value < terminal_count_, to, l);
    });
    Adjacency adjacency;
    adjacency.first.assign(static_cast<std::size_t>(vertex_count()) + 1, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Link& at = link(order[i]);
        if (i > 0 && at.*here == link(order[i - 1]).*here && at.*there == link(order[i - 1]).*there) continue;
        adjacency.neighbours.push_back({at.*there, order[i]});
        ++adjacency.first[(at.*here).index() + 1];
    }
    for (std::size_t v = 1; v < adjacency.first.size(); ++v) adjacency.first[v] += adjacency.first[v - 1];
    return adjacency;
}

/// If the first terminal reaches all others and all reach it, every pair has a path.
void Graph::check_connected() const {
    for (const bool outwards : {true, false}) {
        std::vector<bool> seen(vertex_names_.size());
        std::vector<VertexId> reached = {VertexId(0)};
        seen[0] = true;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            for (const Neighbour& next : outwards ? successors(reached[i]) : predecessors(reached[i])) {
                if (seen[next.vertex.index()]) continue;
                seen[next.vertex.index()] = true;
                reached.push_back(next.vertex);
            }
        }
        for (std::int32_t v = 0; v < terminal_count_; ++v) {
            if (seen[static_cast<std::size_t>(v)]) continue;
            const VertexId from(outwards ? 0 : v);
            const VertexId to(outwards ? v : 0);
            throw OptionError("there is no path from " + shown(vertex_name(from)) + " to " + shown(vertex_name(to)),
                              "every terminal must reach every other");
        }
    }
}

std::int32_t Graph::parallel_number(LinkId link) const {
    const Link& wanted = links_[link.index()];
    std::int32_t number = 0;
    for (std::size_t l = 0; l < link.index(); ++l) {
        if (links_[l].from == wanted.from && links_[l].to == wanted.to) ++number;
    }
    return number;
}

}  // namespace haichi
