#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "commlog/log/call_cursor.h"

namespace haichi {

/// The outcome of a request, according to the log.
enum class RequestFate : std::uint8_t {
    kNotSeen,  ///< its completion is more than kMostAhead requests later
    kCompleted,
    kNever  ///< the log ends before its completion: it was cancelled, freed or abandoned
};

/// An event at its position in the log.
struct StreamedCall {
    const LoggedEvent* event = nullptr;         ///< null at the end of the log
    std::uint64_t post = 0;                     ///< request ID, from 1
    RequestFate fate = RequestFate::kNotSeen;   ///< only for a request
    Completion came{};                          ///< only for a request with fate kCompleted
    std::span<const Completion> completions{};  ///< only for kComplete and kReceiveAny
};

/// Returns true if the event posts a request that another event completes.
inline bool is_request(const EventKey& key) {
    return (key.flags & kBlocking) == 0 &&
           (key.kind == CallKind::kSend || key.kind == CallKind::kReceive || key.kind == CallKind::kCollective);
}

/// Walks through a call log event by event and states the fate of every request. For a receive from any source, this
/// includes the actual source. A second cursor is ahead by at most kMostAhead requests, which bounds the memory for
/// runs of any length.
class CallStream {
  public:
    static constexpr std::size_t kMostAhead = 4096;

    /// `calls` must outlive the stream.
    explicit CallStream(const CallSequence& calls) : calls_(&calls), here_(calls), ahead_(calls) {}

    StreamedCall next();
    /// Returns the ID of the request that `completion` completes, or 0 if it is unknown. `completion` must belong to
    /// the call that next() returned last.
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
    std::deque<Ahead> between_;  ///< the requests after posts_, up to posts_ahead_
};

}  // namespace haichi
