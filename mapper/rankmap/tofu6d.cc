// The machine coordinates of each rank's node, one line per rank, for plans and checks: "X Y Z A B C". If nodes have
// several ranks, the slot on the node follows.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

void check_tofu6d(const RankMapContext& context) {
    if (context.allocation->network.coordinates() != nullptr) return;
    throw UnsupportedError("the format tofu6d cannot express a map for this machine: its nodes have no coordinates",
                           "write json or nsim");
}

/// With several ranks per node, there is a column for the core. With one rank per node, an additional column is
/// probably the rank.
Likeness recognise(const MapShape& shape, const RankMapContext& context) {
    if (!has_coordinates(*context.allocation)) return Likeness::kNone;
    const std::size_t columns = columns_of(shape, context);
    const std::size_t address = address_length(*context.allocation);
    if (columns == address + 1 && context.allocation->ranks_per_node == 1) return Likeness::kPossible;
    return likely_if(columns == address || columns == address + 1);
}

std::string write_tofu6d(const Mapping& mapping, const RankMapContext& context) {
    check_tofu6d(context);
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        append_address(text, *context.allocation, mapping.node(RankId(r)));
        if (mapping.ranks_per_node() > 1) {
            text += ' ';
            append_number(text, place_on_node(mapping, RankId(r)));
        }
        text += '\n';
    }
    return text;
}

PlacedRanks read_tofu6d(std::string_view text, const std::string& file, const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    check_tofu6d(context);
    const std::size_t axes = address_length(allocation);
    RankCollector ranks(file, context, "record");
    PlaceTable cores(allocation, "core");
    std::size_t columns = 0;
    for (TextLines lines(text, file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        if (columns == 0 && (words.size() == axes || words.size() == axes + 1)) columns = words.size();
        NodeId node;
        std::int32_t core = 0;
        const bool is_read = read_or_note(context, MapRule::kRecords, [&] {
            if (words.size() != columns) {
                throw InputError(place, "expected " + std::to_string(axes) +
                                            (axes == 1 ? " machine coordinate" : " machine coordinates") +
                                            (columns == axes + 1 ? " and a core number"
                                             : columns == 0      ? ", optionally followed by a core number"
                                                                 : "") +
                                            ", found " + shown(lines.text()));
            }
            const NodeId at = node_at_address(allocation, std::span(words).first(axes), place);
            if (columns > axes) core = cores.take(at, words[axes], place);
            node = at;
        });
        if (is_read && columns > axes) {
            ranks.add_with_place(node, core, place.line);
        } else {
            ranks.add(node, place.line);
        }
    }
    return ranks.take(context, "write one record per rank, in rank order");
}

}  // namespace

RankMapFormat tofu6d_format() {
    return {
        "tofu6d",
        "machine coordinates of each rank, X Y Z A B C on a Tofu, and its core on shared nodes; not read by launchers",
        check_tofu6d,
        recognise,
        write_tofu6d,
        read_tofu6d};
}

}  // namespace haichi
