#include "commlog/readers/metis_graph.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "commlog/readers/formats.h"
#include "commlog/readers/text_rows.h"
#include "commlog/readers/text_shape.h"
#include "commlog/workload/message_collector.h"

namespace haichi {

namespace {

constexpr std::int64_t kMostVertexWeights = 64;

std::optional<std::int64_t> whole_in(std::string_view field, std::int64_t least, std::int64_t largest) {
    std::int64_t value = 0;
    const char* const end = field.data() + field.size();
    const auto [at, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc() || at != end || value < least || value > largest) return std::nullopt;
    return value;
}

/// Parses a line as a header; returns nothing if it cannot be one.
std::optional<MetisHeader> header_in(std::string_view line) {
    const auto vertices = whole_in(next_field(line), 1, kMostRanks);
    const auto edges = whole_in(next_field(line), 0, kMostMessages / 2);
    if (!vertices || !edges) return std::nullopt;
    MetisHeader header{.vertices = *vertices, .edges = *edges};
    const std::string_view format = next_field(line);
    if (format.empty()) return header;
    if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) return std::nullopt;
    const auto digit = [&](std::size_t from_end) {
        return format.size() >= from_end && format[format.size() - from_end] == '1';
    };
    header.has_edge_weights = digit(1);
    header.vertex_weights = digit(2) ? 1 : 0;
    header.has_vertex_sizes = digit(3);
    const std::string_view weights = next_field(line);
    if (weights.empty()) return header;
    const auto count = whole_in(weights, 0, kMostVertexWeights);
    if (!count || !next_field(line).empty()) return std::nullopt;
    if (digit(2)) header.vertex_weights = *count;
    return header;
}

struct Edge {
    std::int64_t low = 0, high = 0, weight = 0;
    bool is_upward = false;  ///< true if it is listed in the line of the vertex with the lower number
    auto operator<=>(const Edge&) const = default;
};

/// Appends the edges in the line of a vertex. Returns false if the line does not fit the header.
bool add_edges(std::string_view line, std::int64_t vertex, const MetisHeader& header, std::vector<Edge>& edges) {
    for (std::int64_t i = 0; i < header.leading_numbers(); ++i) {
        if (!is_decimal_number(next_field(line))) return false;
    }
    for (std::string_view field = next_field(line); !field.empty(); field = next_field(line)) {
        const auto neighbour = whole_in(field, 1, header.vertices);
        if (!neighbour || *neighbour == vertex) return false;
        std::int64_t weight = 0;
        if (header.has_edge_weights) {
            const auto stated = whole_in(next_field(line), 0, kLargestMessageBytes);
            if (!stated) return false;
            weight = *stated;
        }
        edges.push_back({std::min(vertex, *neighbour), std::max(vertex, *neighbour), weight, *neighbour > vertex});
    }
    return true;
}

/// Returns true if every edge between the first `vertices` vertices is listed at both of its ends.
bool are_symmetric(std::vector<Edge>& edges, std::int64_t vertices) {
    std::erase_if(edges, [vertices](const Edge& edge) { return edge.high > vertices; });
    std::ranges::sort(edges);
    if (edges.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < edges.size(); i += 2) {
        const Edge& a = edges[i];
        const Edge& b = edges[i + 1];
        if (a.low != b.low || a.high != b.high || a.weight != b.weight || a.is_upward == b.is_upward) return false;
    }
    return true;
}

class MetisReader {
  public:
    explicit MetisReader(TextStream* stream) : lines_(stream) {}

    Workload read() {
        read_header();
        for (vertex_ = 1; vertex_ <= header_.vertices; ++vertex_) {
            if (!next_metis_line(lines_)) {
                lines_.fail("the METIS graph ends after " + std::to_string(vertex_ - 1) + " of " +
                                std::to_string(header_.vertices) + " vertices",
                            "write one line for each vertex; the line of a vertex without neighbours is empty");
            }
            read_vertex();
        }
        while (next_metis_line(lines_)) {
            if (!trimmed(lines_.line()).empty()) {
                lines_.fail("expected the end of the METIS graph after " + std::to_string(header_.vertices) +
                            " vertices, found " + shown(lines_.line()));
            }
        }
        return take();
    }

  private:
    void read_header() {
        do {
            if (!next_metis_line(lines_)) lines_.fail("the METIS graph has no header");
        } while (trimmed(lines_.line()).empty());
        const auto header = header_in(lines_.line());
        if (!header) {
            lines_.fail("expected the header of a METIS graph (vertices, edges, format), found " +
                        shown(lines_.line()));
        }
        header_ = *header;
        first_.reserve(static_cast<std::size_t>(std::min(header_.vertices, std::int64_t{1} << 16)));
    }

    void read_vertex() {
        first_.push_back(messages_.size());
        std::string_view rest = lines_.line();
        for (std::int64_t i = 0; i < header_.leading_numbers(); ++i) {
            const std::string_view field = next_field(rest);
            if (has_rank_weights() && i + 1 == header_.leading_numbers() && !field.empty()) {
                weights_.push_back(lines_.whole(field, "weight of a vertex", 0, kLargestRankWeight));
                continue;
            }
            if (!is_decimal_number(field)) {
                lines_.fail("expected a weight of vertex " + std::to_string(vertex_) + ", found " +
                            (field.empty() ? "nothing" : shown(field)));
            }
        }
        for (std::string_view field = next_field(rest); !field.empty(); field = next_field(rest)) {
            const std::int64_t neighbour = lines_.whole(field, "neighbour", 1, header_.vertices);
            if (neighbour == vertex_) lines_.fail("vertex " + std::to_string(vertex_) + " is its own neighbour");
            const std::int64_t bytes =
                header_.has_edge_weights ? lines_.whole(next_field(rest), "weight of an edge", 0, kLargestMessageBytes)
                                         : 1;
            const Message message{RankId(static_cast<std::int32_t>(vertex_ - 1)),
                                  RankId(static_cast<std::int32_t>(neighbour - 1)), bytes};
            if (const auto problem = messages_.add(message)) lines_.fail(*problem);
        }
    }

    Workload take() {
        first_.push_back(messages_.size());
        std::vector<Message> messages = messages_.take();
        check(messages);
        std::vector<Workload::Set> sets = {{"graph", 0, 0, messages.size()}};
        Workload workload(static_cast<std::int32_t>(header_.vertices), 1, std::move(sets), std::move(messages));
        if (has_rank_weights()) {
            try {
                workload.set_rank_weights(std::move(weights_));
            } catch (const InputError& error) {
                throw InputError(lines_.place().file + ": " + error.what());
            }
        }
        return workload;
    }

    /// Several weights per vertex are ignored, because a rank has only one weight.
    [[nodiscard]] bool has_rank_weights() const { return header_.vertex_weights == 1; }

    /// Checks that every edge has the same weight in both directions, and sorts the messages of each rank by
    /// destination.
    void check(std::vector<Message>& messages) const {
        if (static_cast<std::int64_t>(messages.size()) != 2 * header_.edges) {
            fail("the header states " + std::to_string(header_.edges) + " edges, but the lines have " +
                 std::to_string(messages.size()) + " neighbours instead of " + std::to_string(2 * header_.edges));
        }
        const auto row = [&](std::int32_t rank) {
            const std::size_t first = first_[static_cast<std::size_t>(rank)];
            return std::span(messages).subspan(first, first_[static_cast<std::size_t>(rank) + 1] - first);
        };
        const auto destination = [](const Message& m) { return m.destination.value; };
        for (std::int32_t r = 0; r < header_.vertices; ++r) {
            std::ranges::sort(row(r), {}, destination);
            const auto twice = std::ranges::adjacent_find(row(r), {}, destination);
            if (twice != row(r).end()) {
                fail("vertex " + std::to_string(r + 1) + " has the neighbour " +
                     std::to_string(twice->destination.value + 1) + " twice");
            }
        }
        for (const Message& m : messages) {
            const auto others = row(m.destination.value);
            const auto back = std::ranges::lower_bound(others, m.source.value, {}, destination);
            if (back != others.end() && back->destination == m.source && back->size_bytes == m.size_bytes) continue;
            fail("vertices " + std::to_string(m.source.value + 1) + " and " + std::to_string(m.destination.value + 1) +
                 " do not list the same edge");
        }
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(lines_.place().file + ": " + what,
                         "METIS graphs are undirected: every edge is in the lines of both vertices. Write directed "
                         "messages as an edge list: source, destination, bytes");
    }

    TraceLines lines_;
    MetisHeader header_;
    std::int64_t vertex_ = 0;
    std::vector<std::size_t> first_;  ///< by vertex, index of its first message
    MessageCollector messages_;
    std::vector<std::int64_t> weights_;
};

}  // namespace

bool next_metis_line(TraceLines& lines) {
    while (lines.next()) {
        if (!trimmed(lines.line()).starts_with('%')) return true;
    }
    return false;
}

MetisEvidence metis_evidence(std::string_view prefix, bool is_all) {
    // The last line may be truncated.
    if (!is_all) prefix = prefix.substr(0, prefix.rfind('\n') + 1);
    std::size_t at = 0;
    std::string_view line;
    do {
        if (at >= prefix.size()) return MetisEvidence::kNone;
        line = trimmed(line_at(prefix, at));
    } while (line.empty() || line.front() == '%');
    const auto header = header_in(line);
    if (!header) return MetisEvidence::kNone;
    std::vector<Edge> edges;
    std::int64_t vertex = 0;
    bool lines_fit = true, has_zero = false, is_rectangular = true;
    std::int64_t columns = -1;
    while (at < prefix.size()) {
        line = trimmed(line_at(prefix, at));
        if (line.starts_with('%') || (vertex == header->vertices && line.empty())) continue;
        if (vertex == header->vertices) return MetisEvidence::kNone;
        ++vertex;
        lines_fit = lines_fit && add_edges(line, vertex, *header, edges);
        std::int64_t fields = 0;
        for (auto field = next_field(line); !field.empty(); field = next_field(line), ++fields) {
            has_zero = has_zero || is_zero(field);
        }
        is_rectangular = is_rectangular && (columns < 0 || columns == fields);
        columns = fields;
    }
    if (is_all && vertex != header->vertices) return MetisEvidence::kNone;
    // An edge list has lines of equal length, and usually contains rank 0, which is not a valid vertex number.
    if (!lines_fit) return is_all && !(is_rectangular && has_zero) ? MetisEvidence::kHeader : MetisEvidence::kNone;
    const auto listed = static_cast<std::int64_t>(edges.size());
    const bool counts_fit = is_all ? listed == 2 * header->edges : listed <= 2 * header->edges;
    const bool is_certain = listed > 0 && counts_fit && are_symmetric(edges, vertex);
    return is_certain ? MetisEvidence::kCertain : MetisEvidence::kLines;
}

WorkloadFormat metis_format() {
    return {"metis",
            "a graph of METIS or KaHIP; edge weights are bytes in each direction, vertex weights those of ranks",
            [](const TextShape& shape) { return shape.metis != MetisEvidence::kNone; },
            [](TextStream& stream) { return MetisReader(&stream).read(); }};
}

}  // namespace haichi
