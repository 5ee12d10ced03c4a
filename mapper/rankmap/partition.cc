// The partition files of METIS, KaHIP and SharedMap: line k has the number of the node of rank k, from 0.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

void check_partition(const RankMapContext& context) {
    if (context.holds_groups) return;
    throw UnsupportedError("the format partition describes groups of ranks on nodes", "use it with §imbalance");
}

std::string write_partition(const Mapping& mapping, const RankMapContext& context) {
    check_partition(context);
    std::string text;
    for (const NodeId node : mapping.node_of_rank()) {
        append_number(text, node.value);
        text += '\n';
    }
    return text;
}

PlacedRanks read_partition(std::string_view text, const std::string& file, const RankMapContext& context) {
    const std::int32_t nodes = context.allocation->node_count();
    RankCollector ranks(file, context, "line");
    for (TextLines lines(without_byte_order_mark(text), file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        NodeId at;
        read_or_note(context, MapRule::kRecords, [&] {
            if (words.size() != 1)
                throw InputError(place, "expected the number of a node, found " + shown(lines.text()));
            const std::int64_t node = parse_count(words[0], kMostVertices, place);
            if (node >= nodes) {
                throw InputError(place, "invalid node: " + std::to_string(node) + " (the job has nodes 0.." +
                                            std::to_string(nodes - 1) + ")");
            }
            at = NodeId(static_cast<std::int32_t>(node));
        });
        ranks.add(at, lines.number());
    }
    return ranks.take(context, "write one line for each rank");
}

}  // namespace

RankMapFormat partition_format() {
    RankMapFormat format{"partition",
                         "partition file of METIS, KaHIP and SharedMap: one line per rank with the number of its node; "
                         "only with §imbalance",
                         check_partition,
                         [](const MapShape& shape, const RankMapContext& context) {
                             const bool is_number = shape.words.size() == 1 && shape.first >= '0' && shape.first <= '9';
                             return likely_if(context.holds_groups && is_number && !shape.is_list);
                         },
                         write_partition,
                         read_partition};
    format.describes_groups = true;
    return format;
}

}  // namespace haichi
