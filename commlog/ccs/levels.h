#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/selection.h"
#include "commlog/ccs/cut.h"
#include "commlog/ccs/rank_window.h"

namespace haichi {

/// A message of one iteration with its step (`level`). Messages of different steps have to wait for each other.
struct LevelledMessage {
    Message message;
    std::int64_t level = 0;   ///< from 1
    std::uint32_t post = 0;   ///< number of its post in the iteration, which orders the messages of a source
    std::uint32_t label = 0;  ///< index in Levels::labels; 0 for point-to-point messages
};

/// The calls of a point-to-point message between ranks of the windows, as positions after their cuts.
struct MessageEnds {
    std::uint32_t source_window = 0, sent_at = 0;
    std::uint32_t destination_window = 0;
    std::int32_t received_at = 0;  ///< position at which the receive is posted; negative in an earlier iteration
};

struct Levels {
    std::vector<LevelledMessage> messages;
    std::vector<MessageEnds> ends;  ///< messages that are sent and received in the same iteration
    std::vector<std::string> labels;
    /// By window and position after its cut: the step of the message that the event posts, or 0.
    std::vector<std::vector<std::int64_t>> posted;
    /// The same for the highest step that the event waits for. A collective waits for its last round, even if it does
    /// not block.
    std::vector<std::vector<std::int64_t>> waited;
    std::vector<std::vector<std::uint32_t>> posts;  ///< the same for the LevelledMessage::post of the sends
    std::vector<double> compute_seconds;            ///< by step: computation before it, mean over the ranks
    std::int64_t to_oneself = 0;                    ///< messages from a rank to itself, which are left out
    std::int64_t outside = 0;                       ///< messages to processes outside the job, which are left out
    std::int64_t collectives_left = 0;              ///< operations that were not expanded, each counted once
    std::int64_t neighborhood = 0;        ///< the neighbourhood collectives among them, whose messages are unknown
    std::int64_t matched_by_order = 0;    ///< pairs of ranks with several messages of unknown tags
    std::int64_t relying_on_buffers = 0;  ///< sends that return before they are received, because the ranks would
                                          ///< otherwise wait for each other forever
};

struct LevelOptions {
    std::int64_t eager_limit_bytes = 0;
    CollectiveScope collectives = CollectiveScope::kSubcommunicators;
    collectives::CollectiveSelection algorithms;
};

/// Assigns a step to each message: one more than the highest step that its sender had completed before the send. Above
/// the eager limit, the step also exceeds every step that the receiver had completed before it posted the receive. A
/// collective begins one step after the highest of any member and completes there for all. An expanded collective takes
/// one step for each round of its messages. Messages are sorted by source and post. O(events + messages).
Levels assign_levels(const JobLog& job, const std::vector<RankLoops>& loops, const std::vector<RankWindow>& windows,
                     const InFlight& in_flight, const LevelOptions& options);

}  // namespace haichi
