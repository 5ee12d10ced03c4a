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
/// Messages that go at the same time, by sender: no member sends or receives two of them.
using Round = std::vector<RoundMessage>;

inline constexpr std::int64_t kMostRecordedMessages = std::int64_t{1} << 26;

/// The messages that the steps of all members begin, in rounds. A message goes in the first round after all that its
/// sender and its receiver had waited for before they began it, and after the last message that its sender sent and
/// its receiver received before. O(messages). Throws UnsupportedError for more than kMostRecordedMessages.
std::vector<Round> recorded_rounds(int members, const std::function<Steps(Exchange&)>& begin);

/// Those of calls that all members make alike.
class CallRecorder {
  public:
    explicit CallRecorder(CollectiveSelection selection) : selection_(std::move(selection)) {}

    struct Recorded {
        std::string label;  ///< "allreduce ring"
        std::vector<Round> rounds;
    };
    /// Until the next call. Groups of one size often make the same one after each other: it is recorded once.
    const Recorded& record(const SizedCall& call, int members);

  private:
    CollectiveSelection selection_;
    SizedCall call_;
    int members_ = 0;
    Recorded recorded_;
};

}  // namespace haichi::collectives
