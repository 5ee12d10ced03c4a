#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

/// A kind of events on a channel.
enum class ChannelSide { kSends, kReceives, kCollectives };

inline const ChannelCounts& counts_of(const BodyTraffic& traffic, ChannelSide side) {
    if (side == ChannelSide::kSends) return traffic.sends;
    return side == ChannelSide::kReceives ? traffic.receives : traffic.collectives;
}

/// Determines the thread whose log contains a rank's end of a channel, which is the only thread that uses this end. If
/// several threads use an end, it has no owner, because the order of their calls is unknown.
class ChannelOwners {
  public:
    /// `loops` are in the order of ranks and must outlive the object. Takes O(events of ranks with several threads)
    /// time.
    ChannelOwners(const JobLog& job, const std::vector<RankLoops>& loops);

    /// Returns the indices in `loops` of the rank's threads.
    [[nodiscard]] const std::vector<std::size_t>& logs_of(std::int32_t rank) const {
        return logs_[static_cast<std::size_t>(rank)];
    }
    /// Returns the index in `loops` of the thread that uses this end of the channel, or nothing if no thread or several
    /// threads use it. For a rank with one thread, the result is always that thread.
    [[nodiscard]] std::optional<std::size_t> owner(std::int32_t rank, const Channel& channel, ChannelSide side) const;
    /// Returns true if several threads of the rank use this end of the channel.
    [[nodiscard]] bool is_shared(std::int32_t rank, const Channel& channel, ChannelSide side) const;
    /// Describes, for messages to the user, the first channel end that several threads use. The description is empty if
    /// there is no such end.
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
