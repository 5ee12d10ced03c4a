#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mapper/search/search_options.h"
#include "objectives/problem.h"

namespace haichi {

/// The budget of --objective auto, in counts that do not depend on the computer. Seconds are those of one core of a
/// server from 2020.
class AutoBudget {
  public:
    /// `trials` is the number of objectives searched. A time limit, in seconds, reduces the budget.
    AutoBudget(const Problem& problem, std::size_t trials, std::optional<double> time_limit = {});

    /// The whole budget: 10 s for up to a hundred ranks, a minute for 4,096 ranks, and at most the time limit. Half of
    /// the budget is for searches, a third for simulations of the original traffic, and a sixth for simulations under
    /// load.
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] double packet_hops() const { return seconds_ / 3 * kPacketHopsPerSecond; }
    [[nodiscard]] double loaded_packet_hops() const { return seconds_ / 6 * kPacketHopsPerSecond; }
    /// Number of parts in which the searches share the budget. The first search of each objective has one part.
    [[nodiscard]] double all_parts() const { return all_parts_; }
    /// Restarts and evaluations of a search with `parts` of the budget: the defaults, or fewer if these would take too
    /// long. Requested restarts are distributed over the searches. A requested number of evaluations per restart or a
    /// time limit is kept.
    [[nodiscard]] SearchOptions effort(std::string_view objective, const SearchOptions& asked, double parts) const;

  private:
    static constexpr double kPacketHopsPerSecond = 6e6;
    static constexpr std::int32_t kPartsPerObjective = 3;

    [[nodiscard]] double evaluation_seconds(std::string_view objective) const;

    const Problem* problem_;
    double all_parts_;
    double seconds_;
};

}  // namespace haichi
