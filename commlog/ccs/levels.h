#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/selection.h"
#include "commlog/ccs/cut.h"
#include "commlog/ccs/rank_window.h"

namespace haichi {

/// A message of one repetition, with its level: messages of different levels must wait for each other.
struct LevelledMessage {
    Message message;
    std::int64_t level = 0;   ///< from 1
    std::uint32_t post = 0;   ///< orders the messages of a source: when it was posted in the repetition
    std::uint32_t label = 0;  ///< index in Levels::labels; 0: point-to-point
};

struct Levels {
    std::vector<LevelledMessage> messages;
    std::vector<std::string> labels;
    /// By window and position behind its cut: the level of what the event posts; 0: nothing.
    std::vector<std::vector<std::int64_t>> posted;
    std::vector<double> compute_seconds;  ///< by level: mean over the ranks of what they compute before it
    std::int64_t to_oneself = 0;          ///< messages from a rank to itself, left out
    std::int64_t outside = 0;             ///< messages to processes outside of the job's world, left out
    std::int64_t collectives_left = 0;    ///< operations that were not expanded, counted once each
    std::int64_t neighborhood = 0;        ///< of these, neighbourhood collectives, whose messages are not known
    std::int64_t matched_by_order = 0;    ///< pairs of ranks with several messages whose tags are not known
    std::int64_t relying_on_buffers = 0;  ///< sends that return before they are received, or else the ranks would wait
                                          ///< for each other for ever
};

struct LevelOptions {
    std::int64_t eager_limit_bytes = 0;
    CollectiveScope collectives = CollectiveScope::kSubcommunicators;
    collectives::CollectiveSelection algorithms;
};

/// The level of a message is one more than the highest of anything that its sender had completed before it posted the
/// send and, above the eager limit, that its receiver had completed before it posted the receive. A collective begins
/// one level above the highest of any member and completes there for all; an expanded one takes a level for each round
/// of its messages. Messages are in order of source and post. O(events + messages).
Levels assign_levels(const JobLog& job, const std::vector<RankLoops>& loops, const std::vector<RankWindow>& windows,
                     const InFlight& in_flight, const LevelOptions& options);

}  // namespace haichi
