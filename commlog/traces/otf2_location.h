#pragma once

#include <deque>
#include <exception>

#include "commlog/traces/otf2_archive.h"

namespace haichi {

/// Converts the events of one location of an archive. A posted receive states neither source nor size, and a
/// nonblocking operation does not even state its kind. These data come with the completion, so events wait in a queue
/// until all earlier ones are known.
class Otf2Location {
  public:
    Otf2Location(Otf2Archive* archive, TracedJob* job, Otf2Archive::Location location,
                 const std::vector<std::uint32_t>& communicators);

    /// Reads all events of the location. Throws InputError if this fails.
    void read();
    [[nodiscard]] bool has_messages() const { return has_messages_; }
    [[nodiscard]] RankLog finish() { return traced_.finish(archive_->path()); }
    /// Number of receives and operations whose data the trace does not state.
    [[nodiscard]] std::uint64_t unknown() const { return unknown_; }
    /// Number of messages whose partner is not a member of the communicator.
    [[nodiscard]] std::uint64_t outside() const { return outside_; }
    /// True if the trace has requests, but no completions. Every waiting call is then assumed to complete all open
    /// requests.
    [[nodiscard]] bool guesses_completion() const { return requests_ != 0 && completions_ == 0; }

  private:
    enum class Kind : std::uint8_t {
        kNothing,
        kEnter,
        kLeave,
        kSend,
        kReceive,
        kStartSend,
        kStartReceive,
        kStartCollective,
        kComplete,
        kCompleteReceive,
        kForget,
        kCollective
    };
    struct Event {
        Kind kind = Kind::kNothing;
        bool known = true;
        bool lost = false;  ///< the trace does not state the kind of the operation
        std::uint8_t operation = 0;
        std::uint64_t time = 0;
        std::uint32_t partner = 0;  ///< partner rank, root or region
        std::uint32_t comm = 0;
        std::uint32_t tag = 0;
        std::uint64_t bytes = 0, received_bytes = 0;
        std::uint64_t request = 0;
    };
    class Callbacks;

    void push(const Event& event);
    void one_sided(OTF2_RmaWinRef window, std::uint32_t remote, bool gets, std::uint64_t bytes);
    Event* posted(std::uint64_t request);
    void wait_for(std::uint64_t request);
    void flush(bool all);
    void record(const Event& event);
    void enter(const Event& event);
    void leave(const Event& event);
    void end_exchange();
    void note_open(std::uint64_t request);
    void opened(bool done) const;
    [[nodiscard]] TracedMessage message(const Event& event);
    [[nodiscard]] TracedOperation operation(const Event& event);

    Otf2Archive* archive_;
    TracedJob* job_;
    Otf2Archive::Location location_;
    TracedRank traced_;
    std::deque<Event> queue_;
    std::uint64_t first_ = 0;                                         ///< number of the first event in the queue
    std::unordered_map<std::uint64_t, std::uint64_t> unknown_posts_;  ///< event number by request
    std::uint64_t unknown_ = 0, outside_ = 0;
    std::uint64_t requests_ = 0, completions_ = 0;
    bool has_messages_ = false;
    std::uint64_t first_time_ = 0, last_time_ = 0;
    bool begun_ = false;
    // The stack of active MPI functions.
    std::vector<OTF2_RegionRef> stack_;
    std::uint64_t entered_ = 0, left_ = 0;
    std::size_t function_ = 0;
    bool waits_ = false, exchanges_ = false;
    std::vector<Event> exchange_;      ///< the messages of an MPI_Sendrecv
    std::vector<std::uint64_t> open_;  ///< requests that the next waiting call is assumed to complete
    std::exception_ptr error_;
};

}  // namespace haichi
