#include "netmodel/topology/graphml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>

#include "base/located_json.h"
#include "base/quantity.h"
#include "base/split.h"
#include "netmodel/topology/bandwidth.h"
#include "netmodel/topology/xml_reader.h"

namespace haichi {

namespace {

/// Parses a number without a unit; empty if the text is not one.
std::optional<double> plain_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    return error == std::errc{} ? number : HUGE_VAL;
}

std::int64_t parse_link_bandwidth(std::string_view text, const SourcePlace& place) {
    const std::optional<double> number = plain_number(text);
    if (!number) return parse_positive_bandwidth(text, place);
    // The comparison is false for NaN.
    if (!(*number >= 1 && *number <= static_cast<double>(kLargestBandwidth))) {
        throw InputError(place, "invalid bandwidth: " + shown(text) + " (must be from 1 to 10^15 bytes per second)");
    }
    return std::llround(*number);
}

std::int64_t parse_link_latency(std::string_view text, const SourcePlace& place) {
    const std::optional<double> number = plain_number(text);
    if (!number) return parse_time_ps(text, place);
    constexpr double kLargestSeconds = 1e6;
    constexpr double kPicosecondsPerSecond = 1e12;
    if (!(*number >= 0 && *number <= kLargestSeconds)) {
        throw InputError(place, "invalid latency: " + shown(text) + " (must be from 0 to 10^6 seconds)");
    }
    return std::llround(*number * kPicosecondsPerSecond);
}

bool parse_terminal(std::string_view text, const SourcePlace& place) {
    std::string word(text);
    std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    const std::optional<double> number = plain_number(word);  // "1.0" occurs in files converted from a table of numbers
    if (word == "true" || number == 1) return true;
    if (word == "false" || number == 0) return false;
    throw InputError(place, "expected true or false for 'terminal', found " + shown(text));
}

/// The attributes of a node or an edge, or their default values.
struct Values {
    std::optional<bool> terminal;
    std::optional<std::int64_t> bandwidth_bytes_per_s;
    std::optional<std::int64_t> latency_ps;
};

struct Node {
    std::string name;
    std::size_t line = 0;  ///< 0: an edge names it, but it is not declared
    Values values{};
};

struct Edge {
    std::size_t source = 0;
    std::size_t target = 0;
    std::size_t line = 0;
    bool is_directed = false;
    Values values{};
};

/// The file's graph: nodes in the order of their first occurrence, edges in the order of the file.
struct Document {
    std::vector<Node> nodes;
    std::vector<std::size_t> declared;  ///< indices of declared nodes, in the order of the file
    std::vector<Edge> edges;
    Values node_defaults;
    Values edge_defaults;
};

class DocumentReader : public XmlHandler {
  public:
    explicit DocumentReader(const std::string& file) : file_(&file) {}

    void open(const XmlTag& tag) override {
        const Element parent = open_.empty() ? Element::kNothing : open_.back();
        open_.push_back(element(tag, parent));
        switch (open_.back()) {
            case Element::kGraph:
                return open_graph(tag);
            case Element::kKey:
                return declare_key(tag);
            case Element::kDefault:
                return begin_value(tag, *key_);
            case Element::kNode:
                return add_node(tag);
            case Element::kEdge:
                return add_edge(tag);
            case Element::kData:
                return open_data(tag);
            case Element::kNothing:
            case Element::kGraphml:
            case Element::kOther:
                if (is_in_value_)
                    throw InputError(tag.place(), "unexpected element " + shown(tag.name()) + " inside a value");
        }
    }

    void close() override {
        if (is_in_value_) end_value();
        open_.pop_back();
    }

    void text(std::string_view piece) override {
        if (is_in_value_) value_ += piece;
    }

    /// Returns the document. To be called after the whole text has been read.
    Document document() && {
        if (!has_graph_) throw InputError(SourcePlace{*file_, 0}, "the file has no <graph>");
        for (const Edge& edge : document_.edges) {
            for (const std::size_t end : {edge.source, edge.target}) {
                if (document_.nodes[end].line != 0) continue;
                throw InputError(
                    SourcePlace{*file_, edge.line},
                    "an edge ends at node " + shown(document_.nodes[end].name) + ", which the file does not declare");
            }
        }
        return std::move(document_);
    }

  private:
    static constexpr std::size_t kLongestName = 255;
    static constexpr std::size_t kMostKeys = 1024;

    /// Elements of kind kOther are ignored with all their content.
    enum class Element : std::uint8_t { kNothing, kGraphml, kKey, kDefault, kGraph, kNode, kEdge, kData, kOther };

    struct Key {
        std::string id;
        std::string name;  ///< name of the attribute
        bool is_for_nodes = false;
        bool is_for_edges = false;
    };

    static Element element(const XmlTag& tag, Element parent) {
        const std::string_view name = tag.name();
        if (parent == Element::kNothing) {
            if (name == "graphml") return Element::kGraphml;
            throw InputError(tag.place(), "expected the root element 'graphml', found " + shown(name));
        }
        if (tag.is_foreign()) return Element::kOther;
        if (parent == Element::kGraphml && name == "key") return Element::kKey;
        if (parent == Element::kGraphml && name == "graph") return Element::kGraph;
        if (parent == Element::kKey && name == "default") return Element::kDefault;
        if (parent == Element::kGraph && name == "hyperedge")
            throw InputError(tag.place(), "hyperedges are not supported");
        if (parent == Element::kGraph && name == "node") return Element::kNode;
        if (parent == Element::kGraph && name == "edge") return Element::kEdge;
        if (parent != Element::kNode && parent != Element::kEdge) return Element::kOther;
        if (name == "graph") {
            throw InputError(tag.place(), std::string("unexpected graph inside ") +
                                              (parent == Element::kNode ? "a node" : "an edge") +
                                              ": a machine is one graph");
        }
        return name == "data" ? Element::kData : Element::kOther;
    }

    void open_graph(const XmlTag& tag) {
        if (has_graph_) throw InputError(tag.place(), "duplicate <graph>: a machine is one graph");
        has_graph_ = true;
        const std::string direction = tag.required("edgedefault");
        if (direction != "directed" && direction != "undirected") {
            throw InputError(tag.place(),
                             "expected directed or undirected for 'edgedefault', found " + shown(direction));
        }
        edges_are_directed_ = direction == "directed";
    }

    /// A key without 'for' applies to all elements; a key without a name has its id as name.
    void declare_key(const XmlTag& tag) {
        static constexpr std::array<std::string_view, 8> kFor = {"all",  "graphml",   "graph", "node",
                                                                 "edge", "hyperedge", "port",  "endpoint"};
        Key key;
        key.id = tag.required("id");
        key.name = tag.attribute("attr.name").value_or(key.id);
        const std::string_view what = tag.attribute("for").value_or("all");
        if (std::ranges::find(kFor, what) == kFor.end()) {
            throw InputError(tag.place(), "expected a key for node, edge or graph, found " + shown(what));
        }
        key.is_for_nodes = what == "node" || what == "all";
        key.is_for_edges = what == "edge" || what == "all";
        const auto [entry, is_new] = keys_.try_emplace(key.id, key);
        if (!is_new) throw InputError(tag.place(), "duplicate key " + shown(key.id));
        if (keys_.size() > kMostKeys) {
            throw InputError(tag.place(), "the graph has more than " + std::to_string(kMostKeys) + " keys");
        }
        key_ = &entry->second;
    }

    void add_node(const XmlTag& tag) {
        const std::string name = tag.required("id");
        if (name.empty() || name.size() > kLongestName || name.find_first_of("\t\n\r") != std::string::npos) {
            throw InputError(tag.place(), "invalid node id: " + shown(name) + " (expected one line of 1 to " +
                                              std::to_string(kLongestName) + " bytes)");
        }
        const std::size_t number = number_of(name);
        Node& node = document_.nodes[number];
        if (node.line != 0) {
            throw InputError(tag.place(), "duplicate node " + shown(name) + " on lines " + std::to_string(node.line) +
                                              " and " + std::to_string(tag.place().line));
        }
        if (document_.declared.size() == static_cast<std::size_t>(Graph::kMostVertices)) {
            throw InputError(tag.place(), "the graph has more than " + std::to_string(Graph::kMostVertices) + " nodes");
        }
        node.line = tag.place().line;
        document_.declared.push_back(number);
        node_ = number;
    }

    void add_edge(const XmlTag& tag) {
        const std::string source = tag.required("source");
        const std::string target = tag.required("target");
        if (source == target) {
            throw InputError(tag.place(), "an edge leads from node " + shown(source) + " to itself");
        }
        bool is_directed = edges_are_directed_;
        if (const auto directed = tag.attribute("directed")) {
            is_directed = *directed == "true";
            if (*directed != "true" && *directed != "false") {
                throw InputError(tag.place(), "expected true or false for 'directed', found " + shown(*directed));
            }
        }
        links_ += is_directed ? 1 : 2;
        if (links_ > static_cast<std::size_t>(Graph::kMostLinks)) {
            throw InputError(tag.place(), "the graph has more than " + std::to_string(Graph::kMostLinks) +
                                              " links (an undirected edge is two links)");
        }
        document_.edges.push_back({number_of(source), number_of(target), tag.place().line, is_directed, {}});
    }

    std::size_t number_of(const std::string& name) {
        const auto [entry, is_new] = number_of_name_.try_emplace(name, document_.nodes.size());
        if (is_new) document_.nodes.push_back({name});
        return entry->second;
    }

    void open_data(const XmlTag& tag) {
        const std::string id = tag.required("key");
        const auto key = keys_.find(id);
        if (key == keys_.end()) throw InputError(tag.place(), "unknown key " + shown(id));
        begin_value(tag, key->second);
    }

    /// Begins the value of a known attribute; ignores others. Throws for a known attribute whose key does not apply to
    /// the element.
    void begin_value(const XmlTag& tag, const Key& key) {
        const bool is_of_node = key.name == "terminal";
        if (!is_of_node && key.name != "bandwidth" && key.name != "latency") return;
        const Element here = open_[open_.size() - 2];
        const bool is_at_node = here == Element::kKey ? is_of_node : here == Element::kNode;
        const bool is_for = is_at_node ? key.is_for_nodes : key.is_for_edges;
        if (!is_for && here != Element::kKey) {
            throw InputError(tag.place(), "the key " + shown(key.id) + " of " + shown(key.name) + " is not for " +
                                              (is_at_node ? "nodes" : "edges"));
        }
        if (!is_for || is_at_node != is_of_node) return;
        key_ = &key;
        value_place_ = tag.place();
        value_.clear();
        is_in_value_ = true;
    }

    void end_value() {
        is_in_value_ = false;
        const std::string_view text = trimmed(value_);
        const auto set = [this](auto& target, auto value) {
            if (target) throw InputError(value_place_, "duplicate value for the key " + shown(key_->id));
            target = value;
        };
        Values& values = values_of(open_[open_.size() - 2]);
        if (key_->name == "terminal") set(values.terminal, parse_terminal(text, value_place_));
        if (key_->name == "bandwidth") set(values.bandwidth_bytes_per_s, parse_link_bandwidth(text, value_place_));
        if (key_->name == "latency") set(values.latency_ps, parse_link_latency(text, value_place_));
    }

    Values& values_of(Element element) {
        if (element == Element::kNode) return document_.nodes[node_].values;
        if (element == Element::kEdge) return document_.edges.back().values;
        return key_->name == "terminal" ? document_.node_defaults : document_.edge_defaults;
    }

    const std::string* file_;
    Document document_;
    std::unordered_map<std::string, std::size_t> number_of_name_;  // only for look-ups, never iterated
    std::unordered_map<std::string, Key> keys_;                    // only for look-ups, never iterated
    std::vector<Element> open_;
    bool has_graph_ = false;
    bool edges_are_directed_ = false;
    std::size_t links_ = 0;
    std::size_t node_ = 0;      ///< last declared node
    const Key* key_ = nullptr;  ///< last declared key, or the key of the value
    bool is_in_value_ = false;
    SourcePlace value_place_;
    std::string value_;
};

/// The vertex ids of the nodes: terminals first, then switches, both in the order of the file.
struct Numbering {
    std::vector<VertexId> vertex_of_node;
    std::vector<std::string> names;
    std::int32_t terminals = 0;
};

Numbering number_vertices(const Document& document) {
    const bool nobody_says =
        !document.node_defaults.terminal &&
        std::ranges::none_of(document.nodes, [](const Node& node) { return node.values.terminal.has_value(); });
    const bool usual = document.node_defaults.terminal.value_or(nobody_says);
    Numbering numbering;
    numbering.vertex_of_node.resize(document.nodes.size());
    for (const bool is_terminal : {true, false}) {
        for (const std::size_t number : document.declared) {
            const Node& node = document.nodes[number];
            if (node.values.terminal.value_or(usual) != is_terminal) continue;
            numbering.vertex_of_node[number] = VertexId(numbering.names.size());
            numbering.names.push_back(node.name);
        }
        if (is_terminal) numbering.terminals = static_cast<std::int32_t>(numbering.names.size());
    }
    return numbering;
}

std::vector<Graph::Link> links_of(const Document& document, const std::string& file,
                                  const std::vector<VertexId>& vertex_of_node,
                                  std::optional<std::int64_t> default_bandwidth_bytes_per_s) {
    // The limit bounds memory: objectives store values per bandwidth.
    constexpr std::size_t kMostBandwidths = 64;
    const Values& usual = document.edge_defaults;
    if (usual.bandwidth_bytes_per_s) default_bandwidth_bytes_per_s = usual.bandwidth_bytes_per_s;
    std::set<std::int64_t> bandwidths;
    std::vector<Graph::Link> links;
    for (const Edge& edge : document.edges) {
        const SourcePlace place{file, edge.line};
        const auto bandwidth =
            edge.values.bandwidth_bytes_per_s ? edge.values.bandwidth_bytes_per_s : default_bandwidth_bytes_per_s;
        if (!bandwidth) {
            throw InputError(
                place, "an edge has no attribute 'bandwidth'",
                "add it, or state the bandwidth of such edges in 'link' of a machine file that names the graph");
        }
        if (bandwidths.insert(*bandwidth).second && bandwidths.size() > kMostBandwidths) {
            throw InputError(place,
                             "the graph has more than " + std::to_string(kMostBandwidths) + " different bandwidths");
        }
        const VertexId from = vertex_of_node[edge.source];
        const VertexId to = vertex_of_node[edge.target];
        const auto latency = edge.values.latency_ps ? edge.values.latency_ps : usual.latency_ps;
        links.push_back({from, to, *bandwidth, latency});
        if (!edge.is_directed) links.push_back({to, from, *bandwidth, latency});
    }
    return links;
}

}  // namespace

Graph parse_graphml(std::string_view text, const std::string& file,
                    std::optional<std::int64_t> default_bandwidth_bytes_per_s) {
    DocumentReader reader(file);
    read_xml(text, file, reader);
    const Document document = std::move(reader).document();
    Numbering numbering = number_vertices(document);
    std::vector<Graph::Link> links = links_of(document, file, numbering.vertex_of_node, default_bandwidth_bytes_per_s);
    try {
        return Graph(std::move(numbering.names), numbering.terminals, std::move(links));
    } catch (const OptionError& error) {
        throw InputError(SourcePlace{file, 0}, error.what(), error.hint());
    }
}

}  // namespace haichi
