#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// Writes the calls of one rank where they are known and not recorded: its loops are stated instead of found, so that
/// the log of a long run costs what its source does, and each place in it keeps its own computing time. Peers are world
/// ranks, communicators indices of RankLog::communicators.
class CallSequenceBuilder {
  public:
    /// A post, until it is waited for.
    struct Request {
        std::uint64_t post = 0;
        std::uint32_t event = 0;
        std::int32_t came_from = kNobody;  ///< of a receive from any source
    };

    /// Computing before the next call.
    void compute(double seconds);

    void send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint32_t communicator = 0);
    void receive(std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint32_t communicator = 0);
    [[nodiscard]] Request start_send(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                     std::uint32_t communicator = 0);
    [[nodiscard]] Request start_receive(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                        std::uint32_t communicator = 0);
    /// Posted for any source; the message is one of `peer`.
    [[nodiscard]] Request start_receive_from_any(std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                                                 std::uint32_t communicator = 0);
    /// One call that waits for all of them.
    void wait(std::initializer_list<Request> requests) { wait(std::vector<Request>(requests)); }
    void wait(const std::vector<Request>& requests);
    /// Bytes as in LoggedEvent: what the rank contributes and what it gets.
    void collective(CollectiveOperation operation, std::uint64_t bytes, std::uint64_t received_bytes,
                    std::uint32_t communicator = 0, std::int32_t root = kNobody);

    /// What `body` writes, so many times. It must write the same whenever it is called, and wait in it for whatever it
    /// starts. It is called twice where the computing before the first repetition is not that before the others.
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

    /// The log of all that was written, with its profile but for the messages received by peer.
    RankLog finish(std::int32_t rank);

  private:
    /// What MPI functions an event stands for, and what it receives.
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
    /// Whether the other repetitions have to be written as well.
    bool end_repeat(std::uint64_t times, std::uint64_t gap_before);
    void end_others(std::uint64_t times, std::uint64_t gap_before);
    std::vector<Symbol> take_recorded();
    void count_events();
    [[nodiscard]] RankProfile profile() const;

    CallSequence calls_;
    std::vector<Note> notes_;  ///< of the events
    std::map<std::array<std::uint64_t, 7>, std::uint32_t> event_of_;
    std::map<std::vector<Symbol>, std::uint32_t> body_of_;
    std::vector<std::vector<Symbol>> recorded_{1};  ///< of the loops that are being written, outermost first
    std::vector<Completion> open_;                  ///< completions that no other event has followed yet
    Note open_note_;
    std::uint64_t open_gap_ = 0;
    std::uint64_t gap_ = 0;  ///< ticks since the last event
    std::uint64_t posts_ = 0;
};

}  // namespace haichi
