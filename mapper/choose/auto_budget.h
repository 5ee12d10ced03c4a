#pragma once

#include <cstdint>
#include <string_view>

#include "mapper/search/search_options.h"
#include "objectives/problem.h"

namespace haichi {

/// What --objective auto may spend, in counts that do not depend on the machine it runs on: the seconds are those of
/// one core of a server of 2020.
class AutoBudget {
  public:
    /// `trials` objectives are searched by, `seeds` times each.
    AutoBudget(const Problem& problem, std::size_t trials, std::int32_t seeds);

    /// 10 s up to a hundred ranks, a minute at 4,096. Half of it is for searches, a third for simulations of the
    /// traffic as it is, and a sixth for those under load.
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] double packet_hops() const { return seconds_ / 3 * kPacketHopsPerSecond; }
    [[nodiscard]] double loaded_packet_hops() const { return seconds_ / 6 * kPacketHopsPerSecond; }
    /// Restarts and evaluations of one search: the usual ones, and less where these would take too long. Restarts that
    /// are asked for are shared by the searches; evaluations of a restart, or the time, stay as asked.
    [[nodiscard]] SearchOptions effort(std::string_view objective, const SearchOptions& asked) const;

  private:
    static constexpr double kPacketHopsPerSecond = 6e6;

    [[nodiscard]] double evaluation_seconds(std::string_view objective) const;

    const Problem* problem_;
    double searches_;  ///< in all
    std::int32_t seeds_;
    double seconds_;
};

}  // namespace haichi
