#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "commlog/log/call_cursor.h"

namespace haichi {

/// What the log says became of a request.
enum class RequestFate : std::uint8_t {
    kNotSeen,  ///< its completion is further away than CallStream looks
    kCompleted,
    kNever  ///< nothing completes it up to the end of the log: it was cancelled, freed or forgotten
};

/// An event in its place in the log.
struct StreamedCall {
    const LoggedEvent* event = nullptr;         ///< null: the log has ended
    std::uint64_t post = 0;                     ///< of a request: its number, from 1
    RequestFate fate = RequestFate::kNotSeen;   ///< of a request
    Completion came{};                          ///< of a request that is kCompleted
    std::span<const Completion> completions{};  ///< of kComplete and kReceiveAny
};

/// Whether the event posts a request that another event completes.
inline bool is_request(const EventKey& key) {
    return (key.flags & kBlocking) == 0 &&
           (key.kind == CallKind::kSend || key.kind == CallKind::kReceive || key.kind == CallKind::kCollective);
}

/// Walks a call log event by event and says of every request what becomes of it, from whom a receive from any source
/// gets its message, for instance. To know that, a second cursor runs ahead, by kMostAhead requests at most: that is
/// the memory it takes, whatever the length of the run.
class CallStream {
  public:
    static constexpr std::size_t kMostAhead = 4096;

    /// `calls` must outlive it.
    explicit CallStream(const CallSequence& calls) : calls_(&calls), here_(calls), ahead_(calls) {}

    StreamedCall next();
    /// The number of the request that is completed, for a completion of the call that next() returned last. 0: none.
    [[nodiscard]] std::uint64_t post_of(const Completion& completion) const {
        return completion.distance == 0 || completion.distance > posts_ ? 0 : posts_ - completion.distance + 1;
    }

  private:
    struct Ahead {
        RequestFate fate = RequestFate::kNotSeen;
        Completion came{};
    };

    [[nodiscard]] std::span<const Completion> completions_of(const LoggedEvent& event) const {
        return std::span(calls_->completions).subspan(event.first_completion, event.completions);
    }
    void look_ahead(std::uint64_t post);

    const CallSequence* calls_;
    CallCursor here_;
    CallCursor ahead_;
    std::uint64_t posts_ = 0;
    std::uint64_t posts_ahead_ = 0;
    bool ahead_has_ended_ = false;
    std::deque<Ahead> between_;  ///< the requests behind posts_, up to posts_ahead_
};

}  // namespace haichi
