#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/selection.h"
#include "collectives/sized_call.h"

namespace haichi::collectives {

/// A message between members.
struct RoundMessage {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::int64_t bytes = 0;
};
/// Messages that are sent at the same time, sorted by sender. No member sends or receives two messages of a round.
using Round = std::vector<RoundMessage>;

inline constexpr std::int64_t kMostRecordedMessages = std::int64_t{1} << 26;

/// Returns the messages that the steps of all members begin, in rounds. Each message is in the earliest possible round.
/// This round follows the rounds for which its sender and its receiver waited before the message began. It also follows
/// the sender's previous send and the receiver's previous receive. O(messages). Throws UnsupportedError for more than
/// kMostRecordedMessages.
std::vector<Round> recorded_rounds(int members, const std::function<Steps(Exchange&)>& begin);

/// Records calls that all members make in the same way.
class CallRecorder {
  public:
    explicit CallRecorder(CollectiveSelection selection) : selection_(std::move(selection)) {}

    struct Recorded {
        std::string label;  ///< "allreduce ring"
        std::vector<Round> rounds;
    };
    /// The result is valid until the next call. Groups of equal size often make the same call one after another, so
    /// such a call is recorded only once.
    const Recorded& record(const SizedCall& call, int members);

  private:
    CollectiveSelection selection_;
    SizedCall call_;
    int members_ = 0;
    Recorded recorded_;
};

}  // namespace haichi::collectives
