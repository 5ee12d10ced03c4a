#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include "mgen/call.h"
#include "mgen/completed_request.h"
#include "mgen/envelope.h"
#include "mgen/host/code_meter.h"
#include "mgen/host/fiber.h"
#include "mgen/remote_access.h"

namespace haichi::host {

class Host;

/// A reference to a predicate that decides whether a rank may continue.
class Condition {
  public:
    Condition() = default;
    template <class Holds>
    requires(!std::is_same_v<std::remove_cvref_t<Holds>, Condition>)
        Condition(const Holds& holds)  // NOLINT(google-explicit-constructor): a reference, as a function takes it
        : object_(&holds),
          ask_([](const void* object) { return static_cast<bool>((*static_cast<const Holds*>(object))()); }) {}
    [[nodiscard]] bool holds() const { return ask_(object_); }
    [[nodiscard]] bool is_set() const { return ask_ != nullptr; }

  private:
    const void* object_ = nullptr;
    bool (*ask_)(const void*) = nullptr;
};

/// Handles the communication of a rank, on top of the host. The listener begins requests with LiveRank::queue() and is
/// notified when they complete. Events call completed() while the memory of another rank may be in place, so it only
/// records them. Events also call accessed(), but with the memory of this rank in place.
class RankListener {
  public:
    virtual ~RankListener() = default;
    virtual void completed(std::uint32_t request, const CompletedRequest& request_is) = 0;
    /// Performs another rank's access to the memory of this rank, at the present simulated time.
    virtual TargetAnswer accessed(const RemoteAccess& /*access*/, std::int64_t /*now_ps*/) {
        return TargetAnswer::kNow;
    }
    /// True if there is work() that may let the rank continue.
    [[nodiscard]] virtual bool has_work() const = 0;
    /// True if work() calls the program, or uses memory that is private to the rank (LiveRank::has_for_itself()).
    /// Otherwise, that memory need not be in place.
    [[nodiscard]] virtual bool work_needs_memory() const { return true; }
    /// Called with the rank's memory in place, before the rank continues and whenever there is work while it waits.
    /// Fills receive buffers and continues collectives. It may queue calls.
    virtual void work() = 0;
};

/// The cost of a wait.
enum class WaitCost : std::uint8_t {
    kCall,  ///< the overhead of an MPI call, as in MPI_Wait
    kNone   ///< nothing, because the call has already been charged, as in MPI_Recv
};

/// A rank of a live program, as its code on the fiber sees it. Calls that observe nothing are queued, and made when the
/// rank's CPU is free. The fiber suspends when it has to observe something.
class LiveRank {
  public:
    /// The rank whose fiber runs this code, or null. Not inlined, because a fiber may resume in another thread.
    [[gnu::noinline]] static LiveRank* current();

    [[nodiscard]] RankId id() const { return id_; }
    [[nodiscard]] Host& host() const { return *host_; }
    void set_listener(RankListener* listener) { listener_ = listener; }

    void queue(const Call& call) {
        stop_looking();
        queue_.push_back(call);
    }
    /// Makes the queued calls if there are many, so that a program that never waits cannot accumulate them without
    /// limit. Must be called on the rank's fiber.
    void make_many_calls() {
        if (queue_.size() >= kManyCalls) suspend();
    }
    /// Makes the queued calls, then waits until the condition holds. The condition is checked after each completion and
    /// arrival.
    template <class Holds>
    void wait_until(Holds&& holds, WaitCost cost = WaitCost::kCall) {
        wait(Condition(holds), cost);
    }
    /// Polls the condition once and returns whether it holds. A poll costs as much time as a call, at least kPollPs. If
    /// a program does nothing but poll and its stack repeats an earlier state, it resumes after the next event of its
    /// rank. If none of the ranks has an event, it continues to poll, kMostIdlePolls times for all ranks together.
    template <class Holds>
    bool poll(Holds&& holds) {
        return look(Condition(holds));
    }
    /// Makes the queued calls and spends time in a call. If the time is 0, only makes the calls.
    void spend(std::int64_t time_ps);
    void compute(std::int64_t time_ps);
    /// A call that waits until all ranks of the group (Host::add_barrier_group) have made it.
    void hardware_barrier(std::int32_t group);
    /// Simulated time after the queued calls. Reading the clock takes kPollPs. If a program does nothing but read the
    /// clock and its stack repeats an earlier state, it is assumed to wait for a time. Its readings then take longer,
    /// up to 1/kClockFraction of the time that it has waited so far.
    std::int64_t now_ps();
    /// Like now_ps(), but the reading takes no time. It is only for measuring tools: with it, a program's loop that
    /// waits for a time would never end.
    std::int64_t measured_ps();
    /// Simulated time at which the rank last resumed.
    [[nodiscard]] std::int64_t going_since_ps() const { return now_ps_; }
    /// Ends the run with this error.
    [[noreturn]] void fail(std::exception_ptr error);
    /// Ends the run with InputError "rank 3 WHAT (file.c:12)", where `site` is a call site of the program.
    [[noreturn]] void fail_at(const void* site, std::string what, std::string hint);
    /// Ends the rank with this exit code.
    [[noreturn]] void exit(int code);
    /// Ends the run with this exit code.
    [[noreturn]] void abort(int code);

    /// Returns an unexpected message that matches, or null.
    [[nodiscard]] const Envelope* find_unexpected(RankId source, std::int32_t tag, std::uint32_t context) const;
    void reserve_unexpected(RankId source, std::int32_t tag, std::uint32_t context, std::int32_t reservation);
    bool cancel_receive(std::uint32_t request);
    /// True if the address is in a variable of the program that is private to each rank.
    [[nodiscard]] bool has_for_itself(const void* address) const;
    /// Answers an earlier access to this rank's memory that had to be delayed. Must be called within accessed().
    void answer(const RemoteAccess& access, std::int64_t now_ps);

    /// The current MPI call of the rank, or null.
    const char* call_name = nullptr;
    /// The call site of the last MPI call.
    const void* call_site = nullptr;
    /// The program's call site of a haichi function that makes MPI calls itself, or null.
    const void* library_call_site = nullptr;
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] int exit_code() const { return exit_code_; }
    [[nodiscard]] bool has_ended() const { return has_ended_; }
    void count_call() { ++calls_; }
    /// These two enclose each call of the program, because the code between calls is measured (CodeMeter). Calls may be
    /// nested.
    void enter_call() {
        if (meter_ != nullptr && depth_++ == 0) charge_code();
    }
    void leave_call() {
        if (meter_ != nullptr && --depth_ == 0) code_since_ns_ = CodeMeter::now_ns();
    }
    void* calls_state = nullptr;  ///< the state that the MPI interface keeps for this rank

    /// Minimum time for reading the clock or polling an incomplete request.
    static constexpr std::int64_t kPollPs = 100'000;
    static constexpr std::int64_t kClockFraction = 4096;
    /// Limits on polls while nothing else can happen: for all ranks together, and the maximum and minimum for one rank.
    static constexpr std::uint32_t kMostIdlePolls = 2'000'000;
    static constexpr std::uint32_t kMostIdlePollsOfRank = 100'000;
    static constexpr std::uint32_t kLeastIdlePollsOfRank = 10'000;

  private:
    friend class Host;
    static constexpr std::size_t kManyCalls = 256;

    void wait(Condition condition, WaitCost cost);
    bool look(Condition condition);
    [[nodiscard]] bool looks_on(bool has_come_back);
    void begin_clock_look();
    void end_clock_look();
    void stop_looking() {
        looks_ = 0;
        idle_looks_ = 0;
        has_looked_out_ = false;
        clock_looks_ = 0;
        waits_for_time_ = false;
    }
    void note_change() {
        ++changes_;
        idle_looks_ = 0;
        has_looked_out_ = false;
    }
    void suspend();
    /// Charges the time of the program's code since the end of its last call.
    void charge_code();

    Host* host_ = nullptr;
    RankListener* listener_ = nullptr;
    Fiber fiber_;
    Condition condition_;
    std::vector<Call> queue_;  ///< pending calls, from index queued_ on
    std::uint32_t queued_ = 0;
    RankId id_;
    std::int64_t now_ps_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t changes_ = 0;              ///< number of completions and arrivals
    std::uint32_t looks_ = 0;                ///< failed polls in a row
    std::uint32_t idle_looks_ = 0;           ///< polls left until the next event of any rank
    bool has_looked_out_ = false;            ///< the rank has used up its idle polls
    bool is_looking_ = false;                ///< waiting for an event, after which it polls again
    bool is_stack_wanted_ = false;           ///< compute stack_state_ at the next suspension
    std::uint64_t stack_state_ = 0;          ///< hash of the program's stack and registers
    std::uint64_t earlier_stack_state_ = 0;  ///< stack_state_ at an earlier poll
    std::uint32_t clock_looks_ = 0;          ///< readings of the clock in a row without other calls
    bool waits_for_time_ = false;            ///< the program reads the clock to wait for a time
    std::int64_t clock_since_ps_ = 0;        ///< time of the first of these readings
    const CodeMeter* meter_ = nullptr;       ///< null if code takes no time
    std::int64_t code_since_ns_ = 0;
    std::int32_t depth_ = 0;  ///< nesting depth of calls
    std::int32_t exit_code_ = 0;
    bool pays_ = false;  ///< the wait has not been charged yet
    bool has_ended_ = false;
};

}  // namespace haichi::host
