#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/selection.h"
#include "commlog/ccs/cut.h"
#include "commlog/ccs/rank_window.h"

namespace haichi {

/// A message of one iteration, and its step (`level`). Messages of different steps wait for each other.
struct LevelledMessage {
    Message message;
    std::int64_t level = 0;   ///< step, from 1
    std::uint32_t post = 0;   ///< number of its post in the iteration, by which the messages of a source are ordered
    std::uint32_t label = 0;  ///< index in Levels::labels; 0 for a point-to-point message
};

/// The two calls of a point-to-point message, as positions after the cuts of their windows.
struct MessageEnds {
    std::uint32_t source_window = 0, sent_at = 0;
    std::uint32_t destination_window = 0;
    /// Position at which the receive is posted; negative if it is in an earlier iteration.
    std::int32_t received_at = 0;
};

struct Levels {
    std::vector<LevelledMessage> messages;
    std::vector<MessageEnds> ends;  ///< for messages that are sent and received in the same iteration
    std::vector<std::string> labels;
    /// Step of the message that an event posts, by window and position after the cut; 0 if it posts none.
    std::vector<std::vector<std::int64_t>> posted;
    /// Highest step that an event waits for, by window and position after the cut. A collective waits for its last
    /// round, even if it is nonblocking.
    std::vector<std::vector<std::int64_t>> waited;
    /// LevelledMessage::post of each send, by window and position after the cut.
    std::vector<std::vector<std::uint32_t>> posts;
    std::vector<double> compute_seconds;  ///< by step: computation time before it, mean over the ranks
    std::int64_t to_oneself = 0;          ///< number of messages from a rank to itself, which are omitted
    /// Number of messages to processes outside the job, which are omitted.
    std::int64_t outside = 0;
    /// Number of collectives that were not expanded; all members together count as one.
    std::int64_t collectives_left = 0;
    /// Number of neighbourhood collectives among these, whose messages are unknown.
    std::int64_t neighborhood = 0;
    std::int64_t matched_by_order = 0;  ///< number of rank pairs with several messages whose tags are unknown
    /// Number of sends that must return before they are received, because the ranks would otherwise wait for each other
    /// forever.
    std::int64_t relying_on_buffers = 0;
};

struct LevelOptions {
    std::int64_t eager_limit_bytes = 0;
    CollectiveScope collectives = CollectiveScope::kSubcommunicators;
    collectives::CollectiveSelection algorithms;
};

/// Assigns a step to each message, which is one more than the highest step that its sender had completed before. For a
/// message above the eager limit, it also exceeds every step that the receiver had completed before it posted the
/// receive. A collective begins one step after the highest step of all members, and ends at the same step for all. An
/// expanded collective takes one step per round of its messages. The result is sorted by source and post. Takes
/// O(events + messages) time.
Levels assign_levels(const JobLog& job, const std::vector<RankLoops>& loops, const std::vector<RankWindow>& windows,
                     const InFlight& in_flight, const LevelOptions& options);

}  // namespace haichi
