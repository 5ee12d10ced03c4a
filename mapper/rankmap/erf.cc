// Explicit resource file of IBM's jsrun (LSF), with a line such as `rank: 0: { host: 1; cpu: {0-3} }` per rank, in any
// order. After `host`, hosts are numbers from 1; after `hostname`, they are names. A preamble states options and
// programs.

#include <array>
#include <utility>

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

constexpr std::array<std::string_view, 11> kPreamble = {"cpu_index_using",
                                                        "overlapping_rs",
                                                        "overlapping-rs",
                                                        "launch_distribution",
                                                        "oversubscribe_cpu",
                                                        "oversubscribe_gpu",
                                                        "oversubscribe_mem",
                                                        "skip_missing_cpu",
                                                        "skip_missing_gpu",
                                                        "skip_missing_mem",
                                                        "app"};

constexpr const char* kExample = "write lines such as rank: 0: { host: 1 }";

void check_erf(const RankMapContext&) {}

std::string write_erf(const Mapping& mapping, const RankMapContext& context) {
    std::string text = "cpu_index_using: logical\n";
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        const NodeId node = mapping.node(RankId(r));
        text += "rank: ";
        append_number(text, r);
        if (context.hosts == nullptr) {
            text += ": { host: ";
            append_number(text, node.value + 1);
        } else {
            text += ": { hostname: " + context.hosts->name(node);
        }
        text += "; cpu: {";
        append_cores(text, mapping, RankId(r), context);
        text += "} }\n";
    }
    return text;
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Returns the text before the next `sign`, and removes both from `rest`.
std::string_view cut(std::string_view& rest, char sign) {
    const auto end = rest.find(sign);
    const std::string_view before = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return before;
}

NodeId node_of_number(std::string_view text, const RankMapContext& context, const SourcePlace& place) {
    const std::int32_t nodes = context.allocation->node_count();
    const std::int64_t number = parse_count(text, kMostVertices, place);
    if (number >= 1 && number <= nodes) return NodeId(static_cast<std::int32_t>(number - 1));
    throw InputError(
        place, "invalid host: " + std::to_string(number) + " (the job has hosts 1.." + std::to_string(nodes) + ")");
}

NodeId named_node(std::string_view name, const RankMapContext& context, const SourcePlace& place) {
    require_hosts(context, "erf");
    return node_of_host(context, name, place);
}

/// Reads the fields inside the braces, with the keys host, hostname, cpu, gpu and mem.
std::pair<NodeId, std::int32_t> read_resources(std::string_view inside, const RankMapContext& context,
                                               const SourcePlace& place) {
    NodeId node;
    std::int32_t place_on_node = -1;
    while (!trimmed(inside).empty()) {
        std::string_view field = cut(inside, ';');
        const std::string_view key = cut(field, ':');
        const std::string_view value = trimmed(field);
        if (key == "host" || key == "hostname") {
            node = key == "host" && value.find_first_not_of("0123456789") == std::string_view::npos
                       ? node_of_number(value, context, place)
                       : named_node(value, context, place);
        } else if (key == "cpu") {
            if (value != "*") check_cores(value, place);
            if (value.starts_with('{') && value.ends_with('}'))
                place_on_node = place_of_cores(trimmed(value.substr(1, value.size() - 2)), context);
        } else if (key != "gpu" && key != "mem") {
            throw InputError(place, "expected host, hostname, cpu, gpu or mem, found " + shown(key));
        }
    }
    if (!node.valid()) throw InputError(place, "the rank has no host");
    return {node, place_on_node};
}

void read_erf_line(std::string_view line, NumberedRanks& ranks, const RankMapContext& context,
                   const SourcePlace& place) {
    std::string_view rest = line;
    const std::string_view key = cut(rest, ':');
    if (key != "rank") {
        if (std::ranges::find(kPreamble, key.substr(0, key.find(' '))) != kPreamble.end()) return;
        throw InputError(place, "expected a rank with its host and cores, found " + shown(line), kExample);
    }
    const std::string_view rank = cut(rest, ':');
    const auto open = rest.find('{');
    auto close = rest.rfind('}');
    const auto app = rest.find(": app");  // ": app 0" after the braces
    if (app != std::string_view::npos) close = rest.rfind('}', app);
    if (!trimmed(rest.substr(0, open)).empty() || close == std::string_view::npos || close <= open) {
        throw InputError(place, "expected a rank with its host and cores, found " + shown(line), kExample);
    }
    const auto [node, place_on_node] = read_resources(rest.substr(open + 1, close - open - 1), context, place);
    ranks.add(rank, node, place_on_node, place);
}

PlacedRanks read_erf(std::string_view text, const std::string& file, const RankMapContext& context) {
    NumberedRanks ranks(file, context);
    for (TextLines lines(text, file); lines.next();) {
        if (lines.words(" \t\r").empty()) continue;
        const SourcePlace place{file, lines.number()};
        const bool is_read =
            read_or_note(context, MapRule::kRecords, [&] { read_erf_line(lines.text(), ranks, context, place); });
        if (!is_read) ranks.skip();
    }
    PlacedRanks placed = ranks.take(context, "line");
    keep_distinct_places(placed, *context.allocation);
    return placed;
}

std::string launch_erf(const Mapping&, const RankMapContext&, const std::string& file) {
    return "jsrun --erf_input " + shell_word(file) + " ./app\n";
}

}  // namespace

RankMapFormat erf_format() {
    return {
        "erf",
        "LSF's explicit resource file, jsrun --erf_input F: host and cores of each rank, in any order; without host "
        "names, hosts are numbers",
        check_erf,
        [](const MapShape& shape, const RankMapContext&) {
            const std::string_view key = shape.record.substr(0, shape.record.find_first_of(": \t"));
            const bool is_preamble = std::ranges::find(kPreamble, key) != kPreamble.end();
            return likely_if(!shape.words.empty() && shape.record.find(':') != std::string_view::npos &&
                             (is_preamble || shape.words[0] == "rank:"));
        },
        write_erf,
        read_erf,
        nullptr,
        launch_erf};
}

}  // namespace haichi
