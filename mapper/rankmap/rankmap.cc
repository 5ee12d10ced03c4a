#include "mapper/rankmap/rankmap.h"

#include <algorithm>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestMapBytes = std::size_t{1} << 30;

std::string names_of_formats() {
    std::string all;
    for (const RankMapFormat& format : rank_map_formats()) all += (all.empty() ? "" : ", ") + format.name;
    return all;
}

bool reads(const RankMapFormat& format, std::string_view text, const std::string& file, const RankMapContext& context,
           PlacedRanks& placed) {
    try {
        placed = format.read(text, file, context);
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// `nsim` and `tofu6d` with a core index have the same number of columns: the one that can be read.
std::string rank_first_or_core_last(std::string_view text, const std::string& file, const RankMapContext& context) {
    PlacedRanks as_nsim;
    PlacedRanks as_tofu6d;
    const bool is_nsim = reads(rank_map_format("nsim"), text, file, context, as_nsim);
    const bool is_tofu6d = reads(rank_map_format("tofu6d"), text, file, context, as_tofu6d);
    if (is_nsim && is_tofu6d && as_nsim.node_of_rank != as_tofu6d.node_of_rank) {
        throw InputError(file + ": may be a map in the format nsim or in the format tofu6d, which differ here",
                         "name the format: -f FORMAT");
    }
    return is_nsim || (!is_tofu6d && context.allocation->ranks_per_node == 1) ? "nsim" : "tofu6d";
}

[[noreturn]] void refuse_line(const std::string& file, std::size_t line, std::string_view text) {
    throw InputError({file, line}, "fits no rank-map format: " + shown(text),
                     "formats are " + names_of_formats() + "; name one: -f FORMAT");
}

void check_capacity(const PlacedRanks& placed, const std::string& file, const Allocation& allocation) {
    std::vector<std::int32_t> used(static_cast<std::size_t>(allocation.node_count()), 0);
    for (std::size_t r = 0; r < placed.node_of_rank.size(); ++r) {
        const NodeId node = placed.node_of_rank[r];
        if (++used[node.index()] <= allocation.ranks_per_node) continue;
        throw InputError({file, placed.line_of_rank[r]},
                         "rank " + std::to_string(r) + " is one too many on node " +
                             allocation.network.node_name(node) + ", which takes " +
                             std::to_string(allocation.ranks_per_node),
                         "--ppn sets the ranks of a node");
    }
}

}  // namespace

const std::vector<RankMapFormat>& rank_map_formats() {
    static const std::vector<RankMapFormat> kFormats = {fujitsu_format(), tofu6d_format(), nsim_format(),
                                                        json_format()};
    return kFormats;
}

const RankMapFormat& rank_map_format(std::string_view name) {
    const auto& formats = rank_map_formats();
    const auto found = std::ranges::find(formats, name, &RankMapFormat::name);
    if (found != formats.end()) return *found;
    std::vector<std::string> names;
    for (const RankMapFormat& format : formats) names.push_back(format.name);
    const std::string near = did_you_mean(name, names);
    throw OptionError("unknown rank-map format " + shown(name),
                      near.empty() ? "formats are " + names_of_formats() : near);
}

const RankMapFormat& default_rank_map_format(const Allocation& allocation) {
    const RankMapFormat& fujitsu = rank_map_format("fujitsu");
    try {
        fujitsu.check(allocation);
        return fujitsu;
    } catch (const UnsupportedError&) {
        return rank_map_format("json");
    }
}

std::string recognise_rank_map(std::string_view text, const std::string& file, const RankMapContext& context) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    const bool marked = text.starts_with(kByteOrderMark);
    const auto first = text.find_first_not_of(" \t\r\n", marked ? kByteOrderMark.size() : 0);
    if (first == std::string_view::npos) throw InputError(file + ": an empty file is no rank map");
    if (text[first] == '{') return "json";
    if (text[first] == '(') return "fujitsu";
    const std::size_t address = address_length(*context.allocation);
    const bool is_grid = std::holds_alternative<GridFabric>(context.allocation->network.fabric());
    for (TextLines lines(text); lines.next();) {
        const std::size_t columns = lines.words(" \t\r").size();
        if (columns == 0) continue;
        if (columns == address && is_grid) return "tofu6d";
        if (columns != address + 1) refuse_line(file, lines.number(), lines.text());
        return is_grid ? rank_first_or_core_last(text, file, context) : "nsim";
    }
    throw InputError(file + ": only comments, no rank map");
}

Mapping read_rank_map(const std::string& path, const std::string& format, const RankMapContext& context) {
    if (!format.empty()) (void)rank_map_format(format);  // a wrong name needs no file
    return parse_rank_map(read_file(path, kLargestMapBytes), path, format, context);
}

Mapping parse_rank_map(std::string_view text, const std::string& file, const std::string& format,
                       const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    const RankMapFormat& reader = rank_map_format(format.empty() ? recognise_rank_map(text, file, context) : format);
    const PlacedRanks placed = reader.read(text, file, context);
    check_capacity(placed, file, allocation);
    return Mapping::from_nodes(placed.node_of_rank, allocation.node_count(), allocation.ranks_per_node);
}

RankCollector::RankCollector(const std::string& file, const RankMapContext& context, std::string record)
    : file_(file), record_(std::move(record)), most_(context.allocation->slot_count()) {
    if (context.rank_count > 0) most_ = std::min<std::int64_t>(most_, context.rank_count);
}

PlacedRanks RankCollector::take(const RankMapContext& context, const std::string& hint) {
    check_rank_count(file_, count_, context, record_, hint);
    return std::move(placed_);
}

void check_rank_count(const std::string& file, std::int64_t found, const RankMapContext& context,
                      const std::string& record, const std::string& hint) {
    const std::int64_t slots = context.allocation->slot_count();
    const std::string has = file + ": " + std::to_string(found) + " " + record + (found == 1 ? "" : "s");
    if (context.rank_count > 0 && found != context.rank_count) {
        throw InputError(
            has + " for " + std::to_string(context.rank_count) + (context.rank_count == 1 ? " rank" : " ranks"), hint);
    }
    if (found == 0) throw InputError(has + ": no rank is placed", hint);
    if (found > slots) {
        throw InputError(has + ", but the job has only " + std::to_string(slots) + (slots == 1 ? " slot" : " slots"),
                         "a larger --shape or --ppn gives more");
    }
}

std::size_t address_length(const Allocation& allocation) {
    const auto* fabric = std::get_if<GridFabric>(&allocation.network.fabric());
    return fabric == nullptr ? 1 : fabric->topology.axis_count();
}

NodeId node_at_address(const Allocation& allocation, std::span<const std::string_view> words,
                       const SourcePlace& place) {
    Coordinates at;
    std::string text;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::int64_t largest =
            k < allocation.machine_sizes.size() ? allocation.machine_sizes[k] - 1 : kMostVertices;
        at.push_back(static_cast<std::int32_t>(parse_count(words[k], largest, place)));
    }
    const NodeId node = allocation.node_at_machine_coordinates(at);
    if (node.valid()) return node;
    for (const std::int32_t c : at) {
        text += text.empty() ? '(' : ',';
        append_number(text, c);
    }
    throw InputError(place, "the job has no node " + text + ")",
                     "nodes have the coordinates of the machine; is it the right --shape and --origin?");
}

void append_address(std::string& text, const Allocation& allocation, NodeId node) {
    for (const std::int32_t c : allocation.machine_coordinates(node)) {
        if (!text.empty() && text.back() != '\n') text += ' ';
        append_number(text, c);
    }
}

}  // namespace haichi
