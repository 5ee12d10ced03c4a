#include "objectives/route_legs.h"

#include <algorithm>
#include <tuple>

namespace haichi {

namespace {

std::uint32_t key(std::size_t set, RouteLeg::Way way) {
    return static_cast<std::uint32_t>(set << RouteLeg::kWayBits) | way;
}

/// Pairs the messages to and from the same partner within a set. The legs of a rank are ordered by (set, partner, way).
/// Both ends form the same pairs, because each end counts the messages of both directions.
void join_both_ways(std::vector<RouteLeg>& legs) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < legs.size();) {
        std::size_t end = i;
        std::size_t from = 0;
        for (; end < legs.size() && legs[end].set() == legs[i].set() && legs[end].partner == legs[i].partner; ++end) {
            from += legs[end].way() == RouteLeg::kFrom ? 1 : 0;
        }
        const RankId partner = legs[i].partner;
        const std::size_t set = legs[i].set();
        const std::size_t to = end - i - from;
        for (std::size_t k = 0; k < std::max(from, to); ++k) {
            const auto way = k < std::min(from, to) ? RouteLeg::kBothWays : from > to ? RouteLeg::kFrom : RouteLeg::kTo;
            legs[kept++] = {partner, key(set, way)};
        }
        i = end;
    }
    legs.resize(kept);
}

}  // namespace

RouteLegs::RouteLegs(const Workload& workload, const RouteRows& rows) {
    if (!rows.is_stored() || workload.set_count() >= RouteLeg::kNoSet) return;
    std::vector<std::vector<RouteLeg>> legs(static_cast<std::size_t>(workload.rank_count()));
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        for (const Message& m : workload.messages(t)) {
            if (!m.crosses_network()) continue;
            legs[m.source.index()].push_back({m.destination, key(t, RouteLeg::kTo)});
            legs[m.destination.index()].push_back({m.source, key(t, RouteLeg::kFrom)});
        }
    }
    for (std::vector<RouteLeg>& mine : legs) {
        if (rows.has_exchanges()) {
            std::ranges::sort(mine, {},
                              [](const RouteLeg& leg) { return std::tuple(leg.set(), leg.partner, leg.set_and_way); });
            join_both_ways(mine);
        }
        first_.push_back(legs_.size());
        legs_.insert(legs_.end(), mine.begin(), mine.end());
        legs_.push_back({});
        mine = {};
    }
    if (legs_.empty()) legs_.push_back({});
}

}  // namespace haichi
