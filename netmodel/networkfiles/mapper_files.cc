#include "netmodel/networkfiles/mapper_files.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/quantity.h"
#include "base/split.h"
#include "netmodel/networkfiles/graph_builder.h"

namespace haichi {

namespace {

struct Word {
    std::string_view text;
    std::size_t line = 0;
};

/// All words of a text with their line numbers, without comments ("#").
std::vector<Word> words_of(std::string_view text) {
    std::vector<Word> words;
    std::size_t number = 0;
    for (std::string_view line : split(text, '\n')) {
        ++number;
        line = line.substr(0, line.find('#'));
        for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
            const auto end = std::min(line.find_first_of(" \t\r", at), line.size());
            words.push_back({line.substr(at, end - at), number});
            at = end;
        }
    }
    return words;
}

/// The first line with content.
std::string_view first_line(std::string_view text) {
    for (const std::string_view line : split(text.substr(0, 4096), '\n')) {
        if (const std::string_view content = trimmed(line); !content.empty() && content.front() != '#') return content;
    }
    return {};
}

/// Reads the numbers in the definition of a target architecture one by one.
class TargetNumbers {
  public:
    TargetNumbers(std::vector<Word> words, const std::string& file) : words_(std::move(words)), file_(&file) {}

    [[nodiscard]] std::string_view word() { return next_ < words_.size() ? words_[next_++].text : std::string_view{}; }
    [[nodiscard]] std::int64_t number(const std::string& what, std::int64_t least, std::int64_t most) {
        if (next_ == words_.size()) throw InputError(place(), "the " + what + " is missing");
        const std::int64_t value = parse_count(words_[next_].text, most, place());
        if (value < least) throw InputError(place(), "invalid " + what + ": " + shown(words_[next_].text));
        ++next_;
        return value;
    }
    void expect_end() const {
        if (next_ < words_.size()) throw InputError(place(), "unexpected " + shown(words_[next_].text));
    }
    [[nodiscard]] SourcePlace place() const {
        return {*file_, words_.empty() ? 0 : words_[std::min(next_, words_.size() - 1)].line};
    }

  private:
    std::vector<Word> words_;
    const std::string* file_;
    std::size_t next_ = 0;
};

Graph tleaf(TargetNumbers& numbers, const NetworkText& from) {
    struct Level {
        std::int64_t arity;
        std::int64_t cost;
    };
    std::vector<Level> levels;
    std::int64_t leaves = 1;
    std::int64_t cheapest = INT32_MAX;
    for (std::int64_t left = numbers.number("number of levels", 1, 16); left > 0; --left) {
        const std::int64_t arity = numbers.number("number of branches", 1, Graph::kMostTerminals);
        const std::int64_t cost = numbers.number("cost of a level", 0, INT32_MAX);
        levels.push_back({arity, std::max<std::int64_t>(cost, 1)});
        cheapest = std::min(cheapest, levels.back().cost);
        leaves *= arity;
        if (leaves > Graph::kMostTerminals) {
            throw InputError(numbers.place(),
                             "the tree has more than " + std::to_string(Graph::kMostTerminals) + " leaves");
        }
    }
    numbers.expect_end();
    const std::int64_t bandwidth = from.assumed_bandwidth();
    GraphBuilder graph;
    std::vector<GraphBuilder::Vertex> above = {graph.network_switch("root")};
    for (std::size_t l = 0; l < levels.size(); ++l) {
        std::vector<GraphBuilder::Vertex> here;
        for (const GraphBuilder::Vertex parent : above) {
            for (std::int64_t k = 0; k < levels[l].arity; ++k) {
                const std::string number = std::to_string(here.size());
                const bool is_leaf = l + 1 == levels.size();
                here.push_back(is_leaf ? graph.node(number)
                                       : graph.network_switch("level " + std::to_string(l + 1) + " number " + number));
                graph.connect(here.back(), parent, std::max<std::int64_t>(bandwidth / levels[l].cost * cheapest, 1));
            }
        }
        above = std::move(here);
    }
    return graph.graph(from.file);
}

/// A mesh or torus of nodes, X fastest.
Graph grid(const std::vector<std::int64_t>& sizes, bool wraps, const NetworkText& from) {
    const std::int64_t bandwidth = from.assumed_bandwidth();
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size;
    GraphBuilder graph;
    for (std::int64_t i = 0; i < count; ++i) (void)graph.node(std::to_string(i));
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t stride = 1;
        for (const std::int64_t size : sizes) {
            const std::int64_t at = i / stride % size;
            const bool is_last = at + 1 == size;
            if (size > 1 && (!is_last || (wraps && size > 2))) {
                const std::int64_t next = is_last ? i - at * stride : i + stride;
                graph.connect(graph.node(std::to_string(i)), graph.node(std::to_string(next)), bandwidth);
            }
            stride *= size;
        }
    }
    return graph.graph(from.file);
}

}  // namespace

bool is_scotch_target(std::string_view text) {
    std::string_view line = first_line(text);
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    for (const std::string_view known : {"tleaf", "cmplt", "cmpltw", "hcub", "mesh2D", "mesh3D", "meshXD", "torus2D",
                                         "torus3D", "torusXD", "deco", "ltleaf", "sub"}) {
        if (word == known) return true;
    }
    return false;
}

Graph read_scotch_target(const NetworkText& from) {
    TargetNumbers numbers(words_of(from.text), from.file);
    const std::string kind(numbers.word());
    if (kind == "tleaf") return tleaf(numbers, from);
    std::vector<std::int64_t> sizes;
    constexpr std::int64_t kMost = Graph::kMostTerminals;
    std::size_t axes = 0;
    if (kind == "mesh2D" || kind == "torus2D") axes = 2;
    if (kind == "mesh3D" || kind == "torus3D") axes = 3;
    if (kind == "hcub") {
        sizes.assign(static_cast<std::size_t>(numbers.number("number of dimensions", 1, 17)), 2);
    } else if (kind == "cmplt") {
        const std::int64_t count = numbers.number("number of processors", 1, kMost);
        numbers.expect_end();
        const std::int64_t bandwidth = from.assumed_bandwidth();
        GraphBuilder graph;
        for (std::int64_t i = 0; i < count; ++i) {
            graph.connect(graph.node(std::to_string(i)), graph.network_switch("switch"), bandwidth);
        }
        return graph.graph(from.file);
    } else if (axes == 0) {
        throw InputError(numbers.place(), "a Scotch target of the kind " + shown(kind) + ", which haichi does not read",
                         "kinds are tleaf, cmplt, hcub, mesh2D, mesh3D, torus2D and torus3D");
    }
    for (; axes > 0; --axes) sizes.push_back(numbers.number("size", 1, kMost));
    numbers.expect_end();
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count = std::min(count * size, kMost + 1);
    if (count > kMost) {
        throw InputError(numbers.place(), "the target has more than " + std::to_string(kMost) + " processors");
    }
    return grid(sizes, kind.starts_with("torus"), from);
}

bool is_libtopomap(std::string_view text) {
    const std::string_view line = first_line(text);
    return line.starts_with("num:") &&
           trimmed(line.substr(4)).find_first_not_of("0123456789 w") == std::string_view::npos;
}

Graph read_libtopomap(const NetworkText& from) {
    struct Line {
        std::string_view text;
        std::size_t number;
    };
    std::vector<Line> lines;
    std::size_t number = 0;
    for (const std::string_view raw : split(from.text, '\n')) {
        ++number;
        if (const std::string_view line = trimmed(raw); !line.empty()) lines.push_back({line, number});
    }
    const std::string_view head = trimmed(lines.front().text.substr(4));
    const bool is_weighted = head.ends_with('w');
    const SourcePlace head_place{from.file, lines.front().number};
    const auto count = static_cast<std::size_t>(
        parse_count(trimmed(head.substr(0, head.find_first_of(" w"))), Graph::kMostVertices, head_place));
    if (lines.size() != 2 * count + 1) {
        throw InputError(head_place, "expected " + std::to_string(2 * count) + " lines after 'num: " +
                                         std::to_string(count) + "', found " + std::to_string(lines.size() - 1));
    }
    // Parses the number at the start of a line.
    const auto vertex_of = [&](const Line& line) {
        const SourcePlace place{from.file, line.number};
        return static_cast<std::size_t>(parse_count(line.text.substr(0, line.text.find_first_of(" \t")),
                                                    static_cast<std::int64_t>(count) - 1, place));
    };
    std::vector<std::string> names(count);
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> cables;  ///< parallel cables from one vertex to another
    std::vector<std::set<std::size_t>> neighbours(count);
    for (std::size_t i = 1; i <= 2 * count; ++i) {
        const SourcePlace place{from.file, lines[i].number};
        const std::size_t v = vertex_of(lines[i]);
        const auto blank = std::min(lines[i].text.find_first_of(" \t"), lines[i].text.size());
        const std::string_view rest = trimmed(lines[i].text.substr(blank));
        if (i <= count) {
            if (!names[v].empty()) throw InputError(place, "duplicate vertex " + std::to_string(v));
            names[v] = rest.empty() ? std::to_string(v) : std::string(rest);
            continue;
        }
        for (const std::string_view word : split(rest, ' ')) {
            if (trimmed(word).empty()) continue;
            const auto open = word.find('(');
            const auto to = static_cast<std::size_t>(
                parse_count(word.substr(0, open), static_cast<std::int64_t>(count) - 1, place));
            const bool has_weight = open != std::string_view::npos && word.ends_with(')');
            if (is_weighted != has_weight)
                throw InputError(place, "expected a weight in parentheses only after 'num: N w', found " + shown(word));
            constexpr std::int64_t kMostParallel = 1024;
            cables[{v, to}] +=
                has_weight ? parse_count(word.substr(open + 1, word.size() - open - 2), kMostParallel, place) : 1;
            neighbours[v].insert(to);
            neighbours[to].insert(v);
        }
    }
    const bool has_leaves = std::ranges::any_of(neighbours, [](const auto& n) { return n.size() <= 1; }) && count > 2;
    const std::int64_t bandwidth = from.assumed_bandwidth();
    GraphBuilder graph;
    std::vector<GraphBuilder::Vertex> vertices;
    for (std::size_t v = 0; v < count; ++v) {
        const bool is_node = !has_leaves || neighbours[v].size() <= 1;
        const bool is_taken = is_node && graph.has_node(names[v]);
        const std::string name = is_taken ? names[v] + " " + std::to_string(v) : names[v];
        vertices.push_back(is_node ? graph.node(name) : graph.network_switch(name + " " + std::to_string(v)));
    }
    for (const auto& [ends, times] : cables) {
        for (std::int64_t k = 0; k < times; ++k) graph.add_link(vertices[ends.first], vertices[ends.second], bandwidth);
    }
    if (has_leaves) {
        from.notes.push_back(from.file +
                             " does not distinguish nodes from switches, so vertices with one neighbour are nodes");
    }
    return graph.graph(from.file);
}

bool is_booksim_anynet(std::string_view text) {
    const std::string_view line = first_line(text);
    return line.starts_with("router ") &&
           (line.find(" node ") != std::string_view::npos || line.find(" router ", 7) != std::string_view::npos);
}

Graph read_booksim_anynet(const NetworkText& from) {
    const std::int64_t bandwidth = from.assumed_bandwidth();
    GraphBuilder graph;
    std::set<std::pair<GraphBuilder::Vertex, GraphBuilder::Vertex>> seen;
    bool has_latencies = false;
    std::size_t line = 0;
    std::optional<GraphBuilder::Vertex> at;
    const std::vector<Word> words = words_of(from.text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const SourcePlace place{from.file, words[i].line};
        const bool is_router = words[i].text == "router";
        if (!is_router && words[i].text != "node")
            throw InputError(place, "expected router or node, found " + shown(words[i].text));
        if (i + 1 == words.size()) throw InputError(place, "a number is missing after " + shown(words[i].text));
        const std::string number = std::to_string(parse_count(words[++i].text, Graph::kMostVertices, place));
        const GraphBuilder::Vertex other = is_router ? graph.network_switch("router " + number) : graph.node(number);
        // An optional third number is the latency in cycles.
        if (i + 1 < words.size() && words[i + 1].line == words[i].line && words[i + 1].text != "router" &&
            words[i + 1].text != "node") {
            (void)parse_count(words[++i].text, INT32_MAX, place);
            has_latencies = true;
        }
        if (words[i].line != line || !at) {
            line = words[i].line;
            at = other;
        } else if (seen.insert(std::minmax(*at, other)).second) {
            graph.connect(*at, other, bandwidth);
        }
    }
    if (has_latencies)
        from.notes.push_back("the latencies of " + from.file + " are in cycles of BookSim and are ignored");
    graph.sort_nodes();
    return graph.graph(from.file);
}

}  // namespace haichi
