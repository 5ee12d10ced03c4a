#pragma once

// The state of a rank in CallReplay.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/sized_call.h"
#include "mgen/replay/call_replay.h"

namespace haichi {

// A request ID of the process model is the program's request number or one of the following.
/// The rank waits for the request in the call that posts it.
inline constexpr std::uint32_t kBlockingRequest = OpenPosts::kLowBits + 1;
/// A message of a collective: the slot of its task, and the low bits of its number in the task.
inline constexpr std::uint32_t kTaskRequest = 1U << 31;
inline constexpr std::uint32_t kMessageBits = (1U << 16) - 1;
inline constexpr std::uint32_t kMostSlot = (1U << 15) - 1;

/// Messages of collectives never match messages of the program.
inline std::uint32_t context_of(std::uint32_t communicator, bool is_collective) {
    return 2 * communicator + (is_collective ? 1 : 0);
}

/// The calls that synchronise all members. Calls with unknown effects count as barriers.
inline bool is_barrier(CollectiveOperation operation) {
    return operation == CollectiveOperation::kBarrier || operation == CollectiveOperation::kOther;
}

/// A running collective of a rank. Its steps start messages in the process model, which carry no data.
class CallReplay::Task final : public collectives::Exchange {
  public:
    struct Setup {
        std::uint32_t communicator = 0;
        const std::vector<std::int32_t>* members = nullptr;  ///< the ranks of the members
        std::int32_t own = 0;                                ///< the rank's index among them
        std::int32_t tag = 0;                                ///< for its messages
        std::uint32_t slot = 0;                              ///< in Rank::tasks
        std::uint64_t post = 0;                              ///< 0 if the rank waits in the call
    };
    Task(Rank& rank, const Setup& setup, const collectives::SizedCall& call);

    [[nodiscard]] std::uint64_t post() const { return setup_.post; }
    [[nodiscard]] const collectives::CollectiveArguments& arguments() const { return arguments_.arguments(); }
    void begin(collectives::Steps steps) { steps_ = std::move(steps); }
    /// See Steps::resume().
    bool go_on() { return steps_.resume(); }
    /// Called when one of the collective's messages is complete. Returns true if this message was the one that the
    /// steps waited for.
    bool completed_request(std::uint32_t request);

    bool is_ready = true;  ///< the steps can go on

  private:
    void begin_send(const collectives::Buffer& buffer, int to, Message message) override;
    void begin_receive(const collectives::Buffer& buffer, int from, Message message) override;
    [[nodiscard]] RankId partner(int member) const {
        return RankId((*setup_.members)[static_cast<std::size_t>(member)]);
    }
    [[nodiscard]] std::uint32_t request_of(Message message);

    Rank& rank_;
    Setup setup_;
    Message last_message_ = 0;  ///< the last message that has begun
    collectives::Steps steps_;
    collectives::SizedArguments arguments_;  ///< placed last, because running steps rarely need it
};

struct CallReplay::Rank {
    explicit Rank(const CallSequence& of) : stream(of) {}

    CallStream stream;
    StreamedCall call{};  ///< the call whose computation time has been spent
    bool has_call = false;
    bool has_computed_behind = false;
    bool has_ended = false;
    OpenPosts posts;
    std::uint32_t awaited = 0;  ///< number of requests and collectives that the rank waits for
    std::uint32_t ready_tasks = 0;
    std::vector<std::unique_ptr<Task>> tasks;  ///< by slot; null for unused slots
    std::vector<Call> queue;                   ///< the next calls, from index `queued` on
    std::size_t queued = 0;
    std::uint64_t calls = 0;
    ReplayGaps gaps{};
    std::vector<std::pair<std::uint32_t, OwnCommunicator>> communicators{};  ///< used by the rank's collectives
};

}  // namespace haichi
