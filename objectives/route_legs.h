#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commlog/workload/workload.h"
#include "netmodel/routing/route_rows.h"

namespace haichi {

/// What a rank has to route in a set: a message to a partner, one from it, or both, where the two ways are one row.
struct RouteLeg {
    enum Way : std::uint32_t { kFrom, kTo, kBothWays };
    static constexpr std::uint32_t kWayBits = 2;
    /// Above every set that there may be.
    static constexpr std::size_t kNoSet = std::size_t{1} << 29;

    RankId partner;
    std::uint32_t set_and_way = static_cast<std::uint32_t>(kNoSet << kWayBits);

    [[nodiscard]] std::size_t set() const { return set_and_way >> kWayBits; }
    [[nodiscard]] Way way() const { return static_cast<Way>(set_and_way & ((1U << kWayBits) - 1)); }
};

/// The legs of every rank in the order of their sets, behind them one of kNoSet. 16 bytes a message at most; only for
/// networks whose rows are stored.
class RouteLegs {
  public:
    RouteLegs(const Workload& workload, const RouteRows& rows);

    [[nodiscard]] const RouteLeg* of(RankId rank) const { return legs_.data() + first_[rank.index()]; }
    /// No legs at all.
    [[nodiscard]] const RouteLeg* none() const { return &legs_.back(); }

  private:
    std::vector<std::size_t> first_;
    std::vector<RouteLeg> legs_;
};

}  // namespace haichi
