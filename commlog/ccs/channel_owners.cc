#include "commlog/ccs/channel_owners.h"

#include <algorithm>
#include <string>

namespace haichi {

ChannelOwners::ChannelOwners(const JobLog& job, const std::vector<RankLoops>& loops)
    : logs_(static_cast<std::size_t>(job.rank_count)) {
    for (std::size_t l = 0; l < loops.size(); ++l) logs_[static_cast<std::size_t>(loops[l].rank())].push_back(l);
    for (std::size_t l = 0; l < loops.size(); ++l) {
        const std::int32_t rank = loops[l].rank();
        if (logs_of(rank).size() < 2) continue;
        const BodyTraffic all = loops[l].whole();
        for (const ChannelSide side : {ChannelSide::kSends, ChannelSide::kReceives, ChannelSide::kCollectives}) {
            note(rank, l, side, counts_of(all, side));
        }
    }
}

void ChannelOwners::note(std::int32_t rank, std::size_t log, ChannelSide side, const ChannelCounts& counts) {
    for (const auto& [channel, count] : counts) {
        const auto [found, is_new] = owners_.try_emplace(End{rank, side, channel}, log);
        if (is_new) continue;
        found->second.reset();
        if (!first_shared_.empty()) continue;
        const std::string threads = "several threads of rank " + std::to_string(rank);
        if (side == ChannelSide::kCollectives) {
            first_shared_ = threads + " call collectives of one communicator";
        } else {
            const bool sends = side == ChannelSide::kSends;
            first_shared_ = threads + (sends ? " send to rank " : " receive from rank ") +
                            std::to_string(sends ? channel.destination : channel.source);
            if (channel.tag != kAllTags) first_shared_ += " with tag " + std::to_string(channel.tag);
        }
    }
}

std::optional<std::size_t> ChannelOwners::owner(std::int32_t rank, const Channel& channel, ChannelSide side) const {
    const auto& logs = logs_of(rank);
    if (logs.size() == 1) return logs.front();
    const auto found = owners_.find({rank, side, channel});
    return found == owners_.end() ? std::nullopt : found->second;
}

bool ChannelOwners::is_shared(std::int32_t rank, const Channel& channel, ChannelSide side) const {
    const auto found = owners_.find({rank, side, channel});
    return found != owners_.end() && !found->second;
}

}  // namespace haichi
