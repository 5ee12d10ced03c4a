#include "mgen/replay/collective_agreement.h"

#include <algorithm>
#include <cmath>

#include "commlog/ccs/rank_loops.h"

namespace haichi {

LoggedCollective logged_collective(const JobLog& job, const RankLog& rank, const LoggedEvent& event) {
    LoggedCollective collective;
    collective.operation = static_cast<CollectiveOperation>(event.key.operation);
    collective.communicator =
        event.key.communicator < rank.communicators.size() ? rank.communicators[event.key.communicator] : 0;
    const std::size_t members = job.communicators[collective.communicator].members.size();
    collective.members = static_cast<std::int32_t>(members);
    CollectiveCall call{.operation = collective.operation, .bytes = RankLoops::contribution(event, members)};
    if ((event.key.flags & kVariableSize) == 0) {
        call.received_bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(
            event.key.received_bytes_or_list, static_cast<std::uint64_t>(kLargestMessageBytes)));
    }
    collective.vector_bytes = vector_bytes(call, collective.members);
    return collective;
}

CollectiveAgreement::CollectiveAgreement(const JobLog& job, std::span<const CallSequence* const> threads) {
    for (std::size_t r = 0; r < threads.size(); ++r) {
        if (threads[r] == nullptr) continue;
        std::map<std::pair<std::uint32_t, CollectiveOperation>, Sizes> own;
        for (const LoggedEvent& event : threads[r]->events) {
            if (event.key.kind != CallKind::kCollective || event.count == 0) continue;
            const LoggedCollective collective = logged_collective(job, job.ranks[r], event);
            own[{collective.communicator, collective.operation}][collective.vector_bytes] += event.count;
        }
        for (auto& [key, sizes] : own) {
            double bytes = 0;
            double count = 0;
            for (const auto& [size, times] : sizes) {
                bytes += static_cast<double>(size) * static_cast<double>(times);
                count += static_cast<double>(times);
            }
            const auto [at, is_new] = entries_.try_emplace(key);
            at->second.largest_mean = std::max(at->second.largest_mean, bytes / count);
            if (is_new) {
                at->second.of_first = std::move(sizes);
            } else {
                at->second.is_even = at->second.is_even && at->second.of_first == sizes;
            }
        }
    }
}

std::int64_t CollectiveAgreement::size_of_choice(const LoggedCollective& collective) const {
    const auto at = entries_.find({collective.communicator, collective.operation});
    if (at == entries_.end() || at->second.is_even) return collective.vector_bytes;
    return static_cast<std::int64_t>(std::llround(at->second.largest_mean));
}

}  // namespace haichi
