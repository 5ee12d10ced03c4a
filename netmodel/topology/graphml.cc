#include "netmodel/topology/graphml.h"

#include <algorithm>
#include <array>
#include <boost/graph/graphml.hpp>
#include <boost/property_tree/exceptions.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>
#include <unordered_map>

#include "base/located_json.h"
#include "base/quantity.h"
#include "netmodel/topology/bandwidth.h"
#include "netmodel/topology/xml_tags.h"

namespace haichi {

namespace {

/// What Boost's reader does not tell: names, lines, and which way edges go. Nodes and edges in the order of the file,
/// which is the order of that reader.
struct Outline {
    struct Node {
        std::string name;
        std::size_t line = 0;
    };
    struct Edge {
        std::size_t line = 0;
        bool is_directed = false;
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
};

/// Reads the outline and refuses what Boost's reader would crash on, pass over or make up: it recurses into elements,
/// keeps of two nodes with one id the first, and adds the nodes that edges name and nobody declared.
class OutlineReader {
  public:
    OutlineReader(std::string_view text, const std::string& file) : file_(file), tags_(text, file) {}

    Outline read() {
        while (tags_.next()) {
            if (!tags_.is_opening()) continue;
            if (tags_.depth() == 1 && tags_.name() != "graphml") {
                throw InputError(tags_.place(), "the root element is " + shown(tags_.name()) + ", not 'graphml'");
            }
            if (tags_.depth() == 2) open_top_level();
            if (tags_.depth() == 3 && in_graph_) open_in_graph();
            if (tags_.depth() == 4 && in_element_) open_in_element();
        }
        if (!has_graph_) throw InputError(SourcePlace{file_, 0}, "there is no <graph>");
        for (const Ends& ends : ends_) {
            for (const std::string& name : {ends.source, ends.target}) {
                if (line_of_node_.contains(name)) continue;
                throw InputError(SourcePlace{file_, ends.line},
                                 "an edge ends at node " + shown(name) + ", which the file does not declare");
            }
        }
        return std::move(outline_);
    }

  private:
    static constexpr std::size_t kMostKeys = 64;
    static constexpr std::size_t kLongestName = 255;

    struct Ends {
        std::string source;
        std::string target;
        std::size_t line = 0;
    };

    void open_top_level() {
        in_graph_ = tags_.name() == "graph";
        if (tags_.name() == "key") declare_key();
        if (!in_graph_) return;
        if (has_graph_) throw InputError(tags_.place(), "a second <graph>: a machine is one graph");
        has_graph_ = true;
        const std::string& direction = tags_.required("edgedefault");
        if (direction != "directed" && direction != "undirected") {
            throw InputError(tags_.place(), "edgedefault is directed or undirected, not " + shown(direction));
        }
        edges_are_directed_ = direction == "directed";
    }

    void declare_key() {
        static constexpr std::array<std::string_view, 7> kFor = {"all",  "graphml",   "graph", "node",
                                                                 "edge", "hyperedge", "port"};
        const std::string& id = tags_.required("id");
        const std::string* what = tags_.attribute("for");
        if (what != nullptr && *what != "endpoint" && std::ranges::find(kFor, *what) == kFor.end()) {
            throw InputError(tags_.place(), "a key is for node, edge or graph, not for " + shown(*what));
        }
        if (what == nullptr) throw InputError(tags_.place(), "the key " + shown(id) + " does not say what it is 'for'");
        if (!keys_.insert(id).second) throw InputError(tags_.place(), "key " + shown(id) + " is declared twice");
        if (keys_.size() > kMostKeys) {
            throw InputError(tags_.place(), "more than " + std::to_string(kMostKeys) + " keys");
        }
    }

    void open_in_graph() {
        const bool is_node = tags_.name() == "node";
        in_element_ = is_node || tags_.name() == "edge";
        data_of_element_.clear();
        if (tags_.name() == "hyperedge") throw InputError(tags_.place(), "hyperedges are no links");
        if (is_node) add_node();
        if (tags_.name() == "edge") add_edge();
    }

    void open_in_element() {
        if (tags_.name() == "graph") throw InputError(tags_.place(), "a graph inside a node: a machine is one graph");
        if (tags_.name() != "data") return;
        const std::string& key = tags_.required("key");
        if (!keys_.contains(key)) throw InputError(tags_.place(), "there is no <key> with the id " + shown(key));
        if (std::ranges::find(data_of_element_, key) != data_of_element_.end()) {
            throw InputError(tags_.place(), "a second value for the key " + shown(key));
        }
        data_of_element_.push_back(key);
    }

    void add_node() {
        const std::string& name = tags_.required("id");
        if (name.empty() || name.size() > kLongestName || name.find_first_of("\t\n\r") != std::string::npos) {
            throw InputError(tags_.place(), "the id of a node is one line of 1 to " + std::to_string(kLongestName) +
                                                " bytes, not " + shown(name));
        }
        const std::size_t line = tags_.place().line;
        const auto [first, is_new] = line_of_node_.try_emplace(name, line);
        if (!is_new) {
            throw InputError(tags_.place(),
                             "node " + shown(name) + " stands on line " + std::to_string(first->second) + " already");
        }
        if (outline_.nodes.size() == static_cast<std::size_t>(Graph::kMostVertices)) {
            throw InputError(tags_.place(), "more than " + std::to_string(Graph::kMostVertices) + " nodes");
        }
        outline_.nodes.push_back({name, line});
    }

    void add_edge() {
        const std::string& source = tags_.required("source");
        const std::string& target = tags_.required("target");
        if (source == target) {
            throw InputError(tags_.place(), "an edge leads from node " + shown(source) + " to itself");
        }
        bool is_directed = edges_are_directed_;
        if (const std::string* directed = tags_.attribute("directed")) {
            is_directed = *directed == "true";
            if (*directed != "true" && *directed != "false") {
                throw InputError(tags_.place(), "directed is true or false, not " + shown(*directed));
            }
        }
        ends_.push_back({source, target, tags_.place().line});
        outline_.edges.push_back({tags_.place().line, is_directed});
    }

    std::string file_;
    XmlTags tags_;
    Outline outline_;
    std::vector<Ends> ends_;
    std::unordered_map<std::string, std::size_t> line_of_node_;  // only looked up, never gone through
    std::set<std::string> keys_;
    std::vector<std::string> data_of_element_;
    bool has_graph_ = false;
    bool in_graph_ = false;
    bool in_element_ = false;
    bool edges_are_directed_ = false;
};

/// A number without a unit, if the text is one.
std::optional<double> plain_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    return error == std::errc{} ? number : HUGE_VAL;
}

std::int64_t parse_link_bandwidth(const std::string& text, const SourcePlace& place) {
    const std::optional<double> number = plain_number(text);
    if (!number) return parse_positive_bandwidth(text, place);
    // The comparison is false for what is no number.
    if (!(*number >= 1 && *number <= static_cast<double>(kLargestBandwidth))) {
        throw InputError(place, "bandwidth " + shown(text) + " is not from 1 to 10^15 bytes per second");
    }
    return std::llround(*number);
}

std::int64_t parse_link_latency(const std::string& text, const SourcePlace& place) {
    const std::optional<double> number = plain_number(text);
    if (!number) return parse_time_ps(text, place);
    constexpr double kLargestSeconds = 1e6;
    constexpr double kPicosecondsPerSecond = 1e12;
    if (!(*number >= 0 && *number <= kLargestSeconds)) {
        throw InputError(place, "latency " + shown(text) + " is not from 0 to 10^6 seconds");
    }
    return std::llround(*number * kPicosecondsPerSecond);
}

bool parse_terminal(std::string text, const SourcePlace& place) {
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    throw InputError(place, "terminal is true or false, not " + shown(text));
}

/// Takes nodes, edges and their attributes from Boost's reader, which gives them in the order of the file.
class GraphCollector : public boost::mutate_graph {
  public:
    GraphCollector(const Outline& outline, const std::string& file) : outline_(&outline), file_(file) {}

    /// Boost asks before each edge whether it may be of its direction: all may.
    [[nodiscard]] bool is_directed() const override {
        return edges_.size() < outline_->edges.size() && outline_->edges[edges_.size()].is_directed;
    }
    boost::any do_add_vertex() override {
        terminal_.emplace_back();
        return terminal_.size() - 1;
    }
    std::pair<boost::any, bool> do_add_edge(boost::any source, boost::any target) override {
        edges_.push_back({boost::any_cast<std::size_t>(source), boost::any_cast<std::size_t>(target), {}, {}});
        return {edges_.size() - 1, true};
    }
    void set_graph_property(const std::string&, const std::string&, const std::string&) override {}
    void set_vertex_property(const std::string& name, boost::any vertex, const std::string& value,
                             const std::string&) override {
        const auto v = boost::any_cast<std::size_t>(vertex);
        if (name == "terminal") terminal_[v] = parse_terminal(value, {file_, outline_->nodes.at(v).line});
    }
    void set_edge_property(const std::string& name, boost::any edge, const std::string& value,
                           const std::string&) override {
        const auto e = boost::any_cast<std::size_t>(edge);
        const SourcePlace place{file_, outline_->edges.at(e).line};
        if (name == "bandwidth") edges_[e].bandwidth_bytes_per_s = parse_link_bandwidth(value, place);
        if (name == "latency") edges_[e].latency_ps = parse_link_latency(value, place);
    }

    Graph graph(std::optional<std::int64_t> default_bandwidth_bytes_per_s) const {
        if (terminal_.size() != outline_->nodes.size() || edges_.size() != outline_->edges.size()) {
            throw InputError(SourcePlace{file_, 0}, "cannot be read: " + std::to_string(terminal_.size()) +
                                                        " nodes and " + std::to_string(edges_.size()) + " edges of " +
                                                        std::to_string(outline_->nodes.size()) + " and " +
                                                        std::to_string(outline_->edges.size()));
        }
        const bool nobody_says = std::ranges::none_of(terminal_, [](const auto& t) { return t.has_value(); });
        std::vector<VertexId> vertex_of_node(terminal_.size());
        std::vector<std::string> names;
        std::int32_t terminals = 0;
        for (const bool is_terminal : {true, false}) {
            for (std::size_t v = 0; v < terminal_.size(); ++v) {
                if (terminal_[v].value_or(nobody_says) != is_terminal) continue;
                vertex_of_node[v] = VertexId(names.size());
                names.push_back(outline_->nodes[v].name);
            }
            if (is_terminal) terminals = static_cast<std::int32_t>(names.size());
        }
        try {
            return Graph(std::move(names), terminals, links(vertex_of_node, default_bandwidth_bytes_per_s));
        } catch (const OptionError& error) {
            throw InputError(SourcePlace{file_, 0}, error.what(), error.hint());
        }
    }

  private:
    struct Edge {
        std::size_t source = 0;
        std::size_t target = 0;
        std::optional<std::int64_t> bandwidth_bytes_per_s;
        std::optional<std::int64_t> latency_ps;
    };

    [[nodiscard]] std::vector<Graph::Link> links(const std::vector<VertexId>& vertex_of_node,
                                                 std::optional<std::int64_t> default_bandwidth_bytes_per_s) const {
        // Objectives keep numbers per bandwidth.
        constexpr std::size_t kMostBandwidths = 64;
        std::set<std::int64_t> bandwidths;
        std::vector<Graph::Link> links;
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const SourcePlace place{file_, outline_->edges[e].line};
            const auto bandwidth =
                edges_[e].bandwidth_bytes_per_s ? edges_[e].bandwidth_bytes_per_s : default_bandwidth_bytes_per_s;
            if (!bandwidth) {
                throw InputError(place, "an edge without the attribute 'bandwidth'",
                                 "a machine file that names the graph gives the bandwidth of such edges in 'link'");
            }
            if (bandwidths.insert(*bandwidth).second && bandwidths.size() > kMostBandwidths) {
                throw InputError(place, "more than " + std::to_string(kMostBandwidths) + " different bandwidths");
            }
            const VertexId from = vertex_of_node[edges_[e].source];
            const VertexId to = vertex_of_node[edges_[e].target];
            links.push_back({from, to, *bandwidth, edges_[e].latency_ps});
            if (!outline_->edges[e].is_directed) links.push_back({to, from, *bandwidth, edges_[e].latency_ps});
        }
        return links;
    }

    const Outline* outline_;
    std::string file_;
    std::vector<std::optional<bool>> terminal_;  ///< per node
    std::vector<Edge> edges_;
};

}  // namespace

Graph parse_graphml(std::string_view text, const std::string& file,
                    std::optional<std::int64_t> default_bandwidth_bytes_per_s) {
    const Outline outline = OutlineReader(text, file).read();
    GraphCollector collector(outline, file);
    std::istringstream stream{std::string(text)};
    // What the outline let pass is well-formed, so these are not expected.
    try {
        boost::read_graphml(stream, collector, 0);
    } catch (const boost::property_tree::xml_parser_error& error) {
        throw InputError(SourcePlace{file, error.line()}, "not valid XML: " + error.message());
    } catch (const boost::property_tree::ptree_error& error) {
        throw InputError(SourcePlace{file, 0}, std::string("not valid GraphML: ") + error.what());
    } catch (const boost::graph_exception& error) {
        throw InputError(SourcePlace{file, 0}, std::string("not valid GraphML: ") + error.what());
    }
    return collector.graph(default_bandwidth_bytes_per_s);
}

std::string read_graphml(const std::string& path) {
    constexpr std::size_t kLargestBytes = std::size_t{64} << 20;
    if (path == "-") throw OptionError("a graph is read from a file, not from standard input");
    return read_file(path, kLargestBytes);
}

}  // namespace haichi
