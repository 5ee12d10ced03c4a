// The rank-node file of network simulators such as NSIM. Each line has one record: the rank, followed by the address of
// its node. Records may be in any order.

#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

void check_nsim(const RankMapContext&) {}

std::string write_nsim(const Mapping& mapping, const RankMapContext& context) {
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        append_number(text, r);
        append_address(text, *context.allocation, mapping.node(RankId(r)));
        text += '\n';
    }
    return text;
}

PlacedRanks read_nsim(std::string_view text, const std::string& file, const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    const std::size_t length = address_length(allocation);
    NumberedRanks ranks(file, context);
    for (TextLines lines(text, file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        const bool is_read = read_or_note(context, MapRule::kRecords, [&] {
            if (words.size() != length + 1) {
                throw InputError(place, "expected a rank and " +
                                            (length == 1 ? std::string("a node number")
                                                         : std::to_string(length) + " machine coordinates") +
                                            ", found " + shown(lines.text()));
            }
            ranks.add(words[0], node_at_address(allocation, std::span(words).subspan(1), place), -1, place);
        });
        if (!is_read) ranks.skip();
    }
    return ranks.take(context, "record");
}

}  // namespace

RankMapFormat nsim_format() {
    return {"nsim",
            "the rank-node file of NSIM-style simulators: one record per line, the rank and the machine coordinates "
            "(or number) of its node",
            check_nsim,
            [](const MapShape& shape, const RankMapContext& context) {
                return likely_if(columns_of(shape, context) == address_length(*context.allocation) + 1);
            },
            write_nsim,
            read_nsim};
}

}  // namespace haichi
