#include "commlog/log/untagged_pairs.h"

namespace haichi {

UntaggedPairs::UntaggedPairs(const JobLog& job) {
    for (const RankLog& rank : job.ranks) {
        for (const CallSequence& calls : rank.threads) add(rank, calls);
    }
}

void UntaggedPairs::add(const RankLog& rank, const CallSequence& calls) {
    const auto communicator = [&](std::uint32_t in_log) {
        return in_log < rank.communicators.size() ? rank.communicators[in_log] : 0;
    };
    const auto is_joined = [](const LoggedEvent& event) { return (event.key.flags & kVariableTag) != 0; };
    for (const LoggedEvent& event : calls.events) {
        const EventKey& key = event.key;
        if (key.kind == CallKind::kSend && is_joined(event)) {
            pairs_.insert({rank.rank, key.peer, communicator(key.communicator)});
        } else if (key.kind == CallKind::kReceive && is_joined(event)) {
            pairs_.insert({key.peer, rank.rank, communicator(key.communicator)});
        } else if (key.kind == CallKind::kReceiveAny || key.kind == CallKind::kComplete) {
            for (std::uint32_t i = 0; i < event.completions; ++i) {
                const Completion& one = calls.completions[event.first_completion + i];
                const bool any = key.kind == CallKind::kReceiveAny;
                const LoggedEvent& post = any ? event : calls.events[one.event];
                const bool unknown = is_joined(post) || (is_joined(event) && (post.key.flags & kAnyTag) != 0);
                if (unknown && one.source >= 0) {
                    pairs_.insert({one.source, rank.rank, communicator(post.key.communicator)});
                }
            }
        }
    }
}

}  // namespace haichi
