#pragma once

// What CallReplay keeps of a rank.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/sized_call.h"
#include "mgen/replay/call_replay.h"

namespace haichi {

// A request of the process model: a request of the program by its number, or:
/// The rank waits for it in the call that posts it.
inline constexpr std::uint32_t kBlockingRequest = OpenPosts::kLowBits + 1;
/// A message of a collective: the slot of its task, and the low bits of its number there.
inline constexpr std::uint32_t kTaskRequest = 1U << 31;
inline constexpr std::uint32_t kMessageBits = (1U << 16) - 1;
inline constexpr std::uint32_t kMostSlot = (1U << 15) - 1;

/// Messages of collectives never match those of the program.
inline std::uint32_t context_of(std::uint32_t communicator, bool is_collective) {
    return 2 * communicator + (is_collective ? 1 : 0);
}

/// The calls that synchronise all members; those of which nothing is known are taken for it.
inline bool is_barrier(CollectiveOperation operation) {
    return operation == CollectiveOperation::kBarrier || operation == CollectiveOperation::kOther;
}

/// A collective under way in a rank: its steps begin messages of the process model, without data.
class CallReplay::Task final : public collectives::Exchange {
  public:
    struct Place {
        std::uint32_t communicator = 0;
        const std::vector<std::int32_t>* members = nullptr;  ///< their ranks
        std::int32_t own = 0;                                ///< the rank's number among them
        std::int32_t tag = 0;                                ///< of its messages
        std::uint32_t slot = 0;                              ///< in Rank::tasks
        std::uint64_t post = 0;                              ///< 0: the rank waits in it
    };
    Task(Rank& rank, const Place& place, const collectives::SizedCall& call);

    [[nodiscard]] std::uint64_t post() const { return place_.post; }
    [[nodiscard]] const collectives::CollectiveArguments& arguments() const { return arguments_.arguments(); }
    void begin(collectives::Steps steps) { steps_ = std::move(steps); }
    /// As Steps::resume().
    bool go_on() { return steps_.resume(); }
    /// Of one of its messages. True if the steps can go on now, and could not before.
    bool completed_request(std::uint32_t request);

    bool is_ready = true;  ///< its steps can go on

  private:
    void begin_send(const collectives::Buffer& buffer, int to, Message message) override;
    void begin_receive(const collectives::Buffer& buffer, int from, Message message) override;
    [[nodiscard]] RankId partner(int member) const {
        return RankId((*place_.members)[static_cast<std::size_t>(member)]);
    }
    [[nodiscard]] std::uint32_t request_of(Message message);

    Rank& rank_;
    Place place_;
    Message last_message_ = 0;  ///< that has begun
    collectives::Steps steps_;
    collectives::SizedArguments arguments_;  ///< last: steps that go on need it seldom
};

struct CallReplay::Rank {
    explicit Rank(const CallSequence& of) : stream(of) {}

    CallStream stream;
    StreamedCall call{};  ///< whose computing time has been spent
    bool has_call = false;
    bool has_computed_behind = false;
    bool has_ended = false;
    OpenPosts posts;
    std::uint32_t awaited = 0;  ///< requests and collectives that it waits for
    std::uint32_t ready_tasks = 0;
    std::vector<std::unique_ptr<Task>> tasks;  ///< by slot; null: free
    std::vector<Call> queue;                   ///< calls that follow, from `queued` on
    std::size_t queued = 0;
    std::uint64_t calls = 0;
    ReplayGaps gaps{};
    std::vector<std::pair<std::uint32_t, OwnCommunicator>> communicators{};  ///< that it had collectives in
};

}  // namespace haichi
