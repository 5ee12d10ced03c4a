// The rank-node file of network simulators in the manner of NSIM: one record per line, the rank, then the address of
// its node. Records may come in any order.

#include <algorithm>

#include "base/quantity.h"
#include "commlog/workload/workload.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

void check(const Allocation&) {}

std::string write(const Mapping& mapping, const RankMapContext& context) {
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        append_number(text, r);
        append_address(text, *context.allocation, mapping.node(RankId(r)));
        text += '\n';
    }
    return text;
}

/// Ranks that no record has placed: how many, and the first.
void check_complete(const PlacedRanks& placed, const std::string& file) {
    const auto missing = std::ranges::count(placed.line_of_rank, 0U);
    if (missing == 0) return;
    const auto first = std::ranges::find(placed.line_of_rank, 0U) - placed.line_of_rank.begin();
    throw InputError(file + ": rank " + std::to_string(first) +
                         (missing == 1 ? " has" : " and " + std::to_string(missing - 1) + " more have") + " no record",
                     "ranks count from 0");
}

PlacedRanks read(std::string_view text, const std::string& file, const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    const std::size_t length = address_length(allocation);
    const auto slots = static_cast<std::int64_t>(std::min<std::int64_t>(allocation.slot_count(), kMostRanks));
    const std::int64_t most = context.rank_count > 0 ? context.rank_count : slots;
    PlacedRanks placed;
    std::int64_t records = 0;
    for (TextLines lines(text); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        if (words.size() != length + 1) {
            throw InputError(place, "expected a rank and " +
                                        (length == 1 ? std::string("a node number")
                                                     : std::to_string(length) + " machine coordinates") +
                                        ", got " + shown(lines.text()));
        }
        const std::int64_t rank = parse_count(words[0], most - 1, place);
        const auto r = static_cast<std::size_t>(rank);
        if (r >= placed.node_of_rank.size()) {
            placed.node_of_rank.resize(r + 1);
            placed.line_of_rank.resize(r + 1, 0);
        }
        if (placed.line_of_rank[r] != 0) {
            throw InputError(place, "rank " + std::to_string(rank) + " is placed on line " +
                                        std::to_string(placed.line_of_rank[r]) + " already");
        }
        placed.node_of_rank[r] = node_at_address(allocation, std::span(words).subspan(1), place);
        placed.line_of_rank[r] = static_cast<std::uint32_t>(place.line);
        ++records;
    }
    check_rank_count(file, records, context, "record", "one record per rank");
    check_complete(placed, file);
    return placed;
}

}  // namespace

RankMapFormat nsim_format() {
    return {
        "nsim",
        "the rank-node file of NSIM-style simulators: one record per line, the rank, then the coordinates (or number) "
        "of its node on the machine",
        check, write, read};
}

}  // namespace haichi
