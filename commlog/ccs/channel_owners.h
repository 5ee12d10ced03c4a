#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// Which of several things happen on a channel.
enum class ChannelSide { kSends, kReceives, kCollectives };

inline const ChannelCounts& counts_of(const BodyTraffic& traffic, ChannelSide side) {
    if (side == ChannelSide::kSends) return traffic.sends;
    return side == ChannelSide::kReceives ? traffic.receives : traffic.collectives;
}

/// Whose log a rank's end of a channel is in: that of the thread that uses it, or of none where several do. The order
/// of calls of several threads is not known.
class ChannelOwners {
  public:
    /// `loops` by rank; must outlive this. O(events of ranks with several threads).
    ChannelOwners(const JobLog& job, const std::vector<RankLoops>& loops);

    /// Indices of the rank's threads in the loops.
    [[nodiscard]] const std::vector<std::size_t>& logs_of(std::int32_t rank) const {
        return logs_[static_cast<std::size_t>(rank)];
    }
    /// Nothing where no thread or several use that end of the channel, as far as the rank has several threads.
    [[nodiscard]] std::optional<std::size_t> owner(std::int32_t rank, const Channel& channel, ChannelSide side) const;
    /// Whether several threads of the rank use it.
    [[nodiscard]] bool is_shared(std::int32_t rank, const Channel& channel, ChannelSide side) const;
    /// The first end of a channel with several threads, as a sentence for the user; empty: none.
    [[nodiscard]] const std::string& first_shared() const { return first_shared_; }

  private:
    struct End {
        std::int32_t rank;
        ChannelSide side;
        Channel channel;
        friend auto operator<=>(const End&, const End&) = default;
    };
    void note(std::int32_t rank, std::size_t log, ChannelSide side, const ChannelCounts& counts);

    std::vector<std::vector<std::size_t>> logs_;  ///< by rank
    std::map<End, std::optional<std::size_t>> owners_;
    std::string first_shared_;
};

}  // namespace haichi
