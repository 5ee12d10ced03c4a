#include "netmodel/topology/graph.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "netmodel/topology/breadth_first.h"
#include "netmodel/topology/graph_arcs.h"

namespace haichi {

Graph::Graph(std::vector<std::string> vertex_names, std::int32_t terminal_count, std::vector<Link> links)
    : vertex_names_(std::move(vertex_names)), terminal_count_(terminal_count), links_(std::move(links)) {
    check();
    fill_arcs();
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

void Graph::fill_arcs() {
    arcs_ = std::make_shared<const GraphArcs>(vertex_count(), terminal_count_, links_);

    // Compares the pairs of ends of all links with the reversed pairs. Parallel links count once.
    std::vector<std::pair<VertexId, VertexId>> ends;
    std::vector<std::pair<VertexId, VertexId>> back;
    for (const Link& link : links_) {
        ends.emplace_back(link.from, link.to);
        back.emplace_back(link.to, link.from);
    }
    for (auto* pairs : {&ends, &back}) {
        std::ranges::sort(*pairs);
        pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
    }
    is_symmetric_ = ends == back;
}

/// If the first terminal reaches all others and all reach it, every pair has a path.
void Graph::check_connected() const {
    BreadthFirst search(*this);
    for (const bool outwards : {true, false}) {
        if (outwards) search.search_from(VertexId(0));
        if (!outwards) search.search_to(VertexId(0));
        for (std::int32_t v = 0; v < terminal_count_; ++v) {
            if (search.distance(VertexId(v)) != BreadthFirst::kUnreachable) continue;
            const VertexId from(outwards ? 0 : v);
            const VertexId to(outwards ? v : 0);
            throw OptionError("there is no path from " + shown(vertex_name(from)) + " to " + shown(vertex_name(to)),
                              "add the missing edges: every terminal must reach every other");
        }
    }
}

std::int32_t Graph::degree(VertexId v) const {
    return static_cast<std::int32_t>(std::max(arcs_->out(v).size(), arcs_->in(v).size()));
}

VertexId Graph::switch_of_host(VertexId v) const { return arcs_->switch_of_host(v); }

std::int32_t Graph::parallel_number(LinkId link) const {
    const Link& wanted = links_[link.index()];
    return static_cast<std::int32_t>(std::ranges::count_if(
        arcs_->out(wanted.from), [&](const GraphArc& arc) { return arc.to == wanted.to && arc.link < link; }));
}

}  // namespace haichi
