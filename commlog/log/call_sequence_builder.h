#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// Writes a rank's call log from known calls instead of recorded ones. The caller states the loops, so the log of a
/// long run costs no more than its source. Each position in the log has its own computation time. Peers are ranks in
/// MPI_COMM_WORLD; communicators are indices of RankLog::communicators.
class CallSequenceBuilder {
  public:
    /// A posted operation that has not been waited for.
    struct Request {
        std::uint64_t post = 0;
        std::uint32_t event = 0;
        std::int32_t came_from = kNobody;  ///< source of a message received from any source
    };

    /// Adds computation before the next call.
    void compute(double seconds);

    void send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint32_t communicator = 0);
    void receive(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint32_t communicator = 0);
    [[nodiscard]] Request start_send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                     std::uint32_t communicator = 0);
    [[nodiscard]] Request start_receive(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                        std::uint32_t communicator = 0);
    /// Posts a receive from any source. The received message comes from `peer`.
    [[nodiscard]] Request start_receive_from_any(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                                 std::uint32_t communicator = 0);
    /// Waits for all requests in one call.
    void wait(std::initializer_list<Request> requests) { wait(std::vector<Request>(requests)); }
    void wait(const std::vector<Request>& requests);
    /// Sizes are as in LoggedEvent: the rank's contribution and the size of its result.
    void collective(CollectiveOperation operation, std::uint64_t bytes, std::uint64_t received_bytes,
                    std::uint32_t communicator = 0, std::int32_t root = kNobody);

    /// Repeats the calls that `body` writes. `body` must write the same calls each time, and must wait for every
    /// request that it starts. `body` is called a second time if the first iteration has another computation time
    /// before it than the others.
    template <class Body>
    void repeat(std::uint64_t times, Body&& body) {
        if (times == 0) return;
        const std::uint64_t gap_before = begin_repeat();
        body();
        if (!end_repeat(times, gap_before)) return;
        const std::uint64_t gap_of_others = begin_repeat();
        body();
        end_others(times - 1, gap_of_others);
    }

    /// Returns the log of all written calls. The profile of the log lacks received messages by peer.
    RankLog finish(std::int32_t rank);

  private:
    /// The MPI function of an event, and the number of bytes that the event receives.
    struct Note {
        const char* function = nullptr;
        std::uint64_t calls = 1;
        std::uint64_t received_bytes = 0;
        bool receives = false;
    };

    std::uint32_t event(const EventKey& key, const Note& note);
    Request post(const EventKey& key, const Note& note);
    void flush();
    void append(Symbol symbol) { recorded_.back().push_back(symbol); }
    Symbol loop_over(const std::vector<Symbol>& symbols, std::uint64_t times);
    std::uint64_t begin_repeat();
    /// Returns true if the other iterations have to be written separately.
    bool end_repeat(std::uint64_t times, std::uint64_t gap_before);
    void end_others(std::uint64_t times, std::uint64_t gap_before);
    std::vector<Symbol> take_recorded();
    void count_events();
    [[nodiscard]] RankProfile profile() const;

    CallSequence calls_;
    std::vector<Note> notes_;  ///< by event
    std::map<std::array<std::uint64_t, 7>, std::uint32_t> event_of_;
    std::map<std::vector<Symbol>, std::uint32_t> body_of_;
    std::vector<std::vector<Symbol>> recorded_{1};  ///< symbols of the open loops, outermost loop first
    std::vector<Completion> open_;                  ///< completions since the last event of another kind
    Note open_note_;
    std::uint64_t open_gap_ = 0;
    std::uint64_t gap_ = 0;  ///< ticks since the last event
    std::uint64_t posts_ = 0;
};

}  // namespace haichi
