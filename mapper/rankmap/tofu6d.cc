// The coordinates of the machine, one line per rank, for plans and checks: "X Y Z A B C", and the place on the node
// when there are several.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

void check(const Allocation& allocation) {
    if (std::holds_alternative<GridFabric>(allocation.network.fabric())) return;
    throw UnsupportedError("the format tofu6d cannot express a map for a tree: its nodes have no coordinates",
                           "write json or nsim");
}

std::string write(const Mapping& mapping, const RankMapContext& context) {
    check(*context.allocation);
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        append_address(text, *context.allocation, mapping.node(RankId(r)));
        if (mapping.ranks_per_node() > 1) {
            text += ' ';
            append_number(text, mapping.slot(RankId(r)).value % mapping.ranks_per_node());
        }
        text += '\n';
    }
    return text;
}

/// Which places on nodes are taken.
class CoreTable {
  public:
    explicit CoreTable(const Allocation& allocation)
        : allocation_(&allocation), line_of_slot_(static_cast<std::size_t>(allocation.slot_count()), 0) {}

    void take(NodeId node, std::string_view core_text, const SourcePlace& place) {
        const std::int32_t cores = allocation_->ranks_per_node;
        const auto core = static_cast<std::size_t>(parse_count(core_text, kMostVertices, place));
        if (core >= static_cast<std::size_t>(cores)) {
            throw InputError(place, "core " + std::to_string(core) + " is outside 0.." + std::to_string(cores - 1),
                             "--ppn sets the ranks of a node");
        }
        std::uint32_t& line = line_of_slot_[node.index() * static_cast<std::size_t>(cores) + core];
        if (line != 0) {
            throw InputError(place, "core " + std::to_string(core) + " of node " +
                                        allocation_->network.node_name(node) + " is taken by line " +
                                        std::to_string(line) + " already");
        }
        line = static_cast<std::uint32_t>(place.line);
    }

  private:
    const Allocation* allocation_;
    std::vector<std::uint32_t> line_of_slot_;  ///< 0: free
};

PlacedRanks read(std::string_view text, const std::string& file, const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    check(allocation);
    const std::size_t axes = address_length(allocation);
    RankCollector ranks(file, context, "record");
    CoreTable cores(allocation);
    std::size_t columns = 0;
    for (TextLines lines(text); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        if (columns == 0 && (words.size() == axes || words.size() == axes + 1)) columns = words.size();
        if (words.size() != columns) {
            throw InputError(place, "expected " + std::to_string(columns == 0 ? axes : columns) +
                                        " numbers (machine coordinates" +
                                        (columns == axes + 1 ? " and core"
                                         : columns == 0      ? ", perhaps a core"
                                                             : "") +
                                        "), got " + shown(lines.text()));
        }
        const NodeId node = node_at_address(allocation, std::span(words).first(axes), place);
        if (columns > axes) cores.take(node, words[axes], place);
        ranks.add(node, place.line);
    }
    return ranks.take(context, "one record per rank, in rank order");
}

}  // namespace

RankMapFormat tofu6d_format() {
    return {
        "tofu6d",
        "for plans and checks: one line per rank, the coordinates of its node on the machine, X Y Z A B C on a Tofu, "
        "and the core when nodes have several ranks",
        check, write, read};
}

}  // namespace haichi
