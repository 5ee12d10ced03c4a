#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// The kind of events on a channel.
enum class ChannelSide { kSends, kReceives, kCollectives };

inline const ChannelCounts& counts_of(const BodyTraffic& traffic, ChannelSide side) {
    if (side == ChannelSide::kSends) return traffic.sends;
    return side == ChannelSide::kReceives ? traffic.receives : traffic.collectives;
}

/// The log that holds a rank's end of a channel: the log of the only thread that uses it. If several threads use it
/// there is none, because the order of their calls is unknown.
class ChannelOwners {
  public:
    /// `loops` are by rank and must outlive the object. O(events of ranks with several threads).
    ChannelOwners(const JobLog& job, const std::vector<RankLoops>& loops);

    /// Returns the indices of the rank's threads in the loops.
    [[nodiscard]] const std::vector<std::size_t>& logs_of(std::int32_t rank) const {
        return logs_[static_cast<std::size_t>(rank)];
    }
    /// Returns the log of the thread that uses this end of the channel, or nothing if none or several threads use it. A
    /// rank with one thread always returns that thread.
    [[nodiscard]] std::optional<std::size_t> owner(std::int32_t rank, const Channel& channel, ChannelSide side) const;
    /// Returns whether several threads of the rank use this end of the channel.
    [[nodiscard]] bool is_shared(std::int32_t rank, const Channel& channel, ChannelSide side) const;
    /// Describes the first end of a channel with several threads to the user. Empty if there is none.
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
