#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commlog/workload/workload.h"
#include "netmodel/routing/route_rows.h"

namespace haichi {

/// A message of a rank in a set: to a partner, from a partner, or one each way if a single row represents both.
struct RouteLeg {
    enum Way : std::uint32_t { kFrom, kTo, kBothWays };
    static constexpr std::uint32_t kWayBits = 2;
    /// Larger than every possible set.
    static constexpr std::size_t kNoSet = std::size_t{1} << 29;

    RankId partner;
    std::uint32_t set_and_way = static_cast<std::uint32_t>(kNoSet << kWayBits);

    [[nodiscard]] std::size_t set() const { return set_and_way >> kWayBits; }
    [[nodiscard]] Way way() const { return static_cast<Way>(set_and_way & ((1U << kWayBits) - 1)); }
};

/// The legs of every rank in the order of their sets, followed by one of kNoSet. At most 16 bytes per message. Only for
/// networks with stored rows.
class RouteLegs {
  public:
    RouteLegs(const Workload& workload, const RouteRows& rows);

    [[nodiscard]] const RouteLeg* of(RankId rank) const { return legs_.data() + first_[rank.index()]; }
    /// An empty list of legs.
    [[nodiscard]] const RouteLeg* none() const { return &legs_.back(); }

  private:
    std::vector<std::size_t> first_;
    std::vector<RouteLeg> legs_;
};

}  // namespace haichi
