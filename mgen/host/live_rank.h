#pragma once

#include <cstdint>
#include <exception>
#include <optional>
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

/// A reference to something that is asked whether a rank may go on.
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

/// What communicates for a rank, above the host: it begins requests by LiveRank::queue() and is told of their end.
/// completed() comes from events, while the memory of another rank may be in place: it notes only. accessed() does,
/// too, with the memory of this rank in place.
class RankListener {
  public:
    virtual ~RankListener() = default;
    virtual void completed(std::uint32_t request, const CompletedRequest& request_is) = 0;
    /// Another rank's access is done in the memory of this one, at this instant.
    virtual TargetAnswer accessed(const RemoteAccess& /*access*/, std::int64_t /*now_ps*/) {
        return TargetAnswer::kNow;
    }
    /// Whether there is work() that may bring the rank on.
    [[nodiscard]] virtual bool has_work() const = 0;
    /// Whether work() reads or writes memory that the rank has for itself (LiveRank::has_for_itself()), or calls the
    /// program. If not, that memory need not be in place.
    [[nodiscard]] virtual bool work_needs_memory() const { return true; }
    /// Called before the rank goes on, and when there is work while it waits, with the memory of the rank in place:
    /// fills receive buffers, goes on with collectives; may queue calls.
    virtual void work() = 0;
};

/// What a wait costs.
enum class WaitCost : std::uint8_t {
    kCall,  ///< the overhead of an MPI call: MPI_Wait
    kNone   ///< the rest of a call that has paid already: the wait within MPI_Recv
};

/// A rank of a live program, as the code that runs on its fiber sees it. Calls that observe nothing are queued, and
/// made when the CPU of the rank is free; the fiber stops where something is to be observed.
class LiveRank {
  public:
    /// The rank on whose fiber this runs; null: none. Not inlined: a fiber may go on in another thread.
    [[gnu::noinline]] static LiveRank* current();

    [[nodiscard]] RankId id() const { return id_; }
    [[nodiscard]] Host& host() const { return *host_; }
    void set_listener(RankListener* listener) { listener_ = listener; }

    void queue(const Call& call) {
        stop_looking();
        queue_.push_back(call);
    }
    /// Makes the queued calls if there are many: what a program begins without ever waiting must not pile up. On the
    /// fiber of the rank only.
    void make_many_calls() {
        if (queue_.size() >= kManyCalls) suspend();
    }
    /// Makes the queued calls, then waits until the condition holds, which is asked after each completion and arrival.
    template <class Holds>
    void wait_until(Holds&& holds, WaitCost cost = WaitCost::kCall) {
        wait(Condition(holds), cost);
    }
    /// Whether the condition holds behind one look at it, which costs what a call costs, at least kPollPs. A program
    /// that does nothing but look, and has come back to where it was, goes on when something has happened to its rank;
    /// where nothing happens to any, it goes on looking, kMostIdleLooks times for all ranks together.
    template <class Holds>
    bool poll(Holds&& holds) {
        return look(Condition(holds));
    }
    /// Makes the queued calls and spends time in a call; 0 only makes the calls.
    void spend(std::int64_t time_ps);
    void compute(std::int64_t time_ps);
    /// A call that waits until all ranks of the group (Host::add_barrier_group) have made it.
    void hardware_barrier(std::int32_t group);
    /// Simulated time behind the queued calls. A look takes kPollPs. A program that does nothing but look and comes
    /// back to where it was waits for a time: its looks become longer, up to 1/kClockShare of what it has waited
    /// already.
    std::int64_t now_ps();
    /// As now_ps(), but the look takes no time: for a tool that measures, not for a program, whose loops would not end.
    std::int64_t measured_ps();
    /// When it last went on, in simulated time.
    [[nodiscard]] std::int64_t going_since_ps() const { return now_ps_; }
    /// The run ends with this error.
    [[noreturn]] void fail(std::exception_ptr error);
    /// With InputError "rank 3 WHAT (file.c:12)", of a place in the program.
    [[noreturn]] void fail_at(const void* site, std::string what, std::string hint);
    /// The rank ends.
    [[noreturn]] void exit(int code);
    /// The run ends with this exit code.
    [[noreturn]] void abort(int code);

    /// A message that has come and fits; null: none.
    [[nodiscard]] const Envelope* find_unexpected(RankId source, std::int32_t tag, std::uint32_t context) const;
    void reserve_unexpected(RankId source, std::int32_t tag, std::uint32_t context, std::int32_t reservation);
    bool cancel_receive(std::uint32_t request);
    /// Whether what lies there is a variable of the program that each rank has for itself.
    [[nodiscard]] bool has_for_itself(const void* address) const;
    /// Of an access to this rank's memory that had to wait; within accessed().
    void answer(const RemoteAccess& access, std::int64_t now_ps);

    /// The MPI call that the rank is in; null: none.
    const char* call_name = nullptr;
    /// Where the last one was made from.
    const void* call_site = nullptr;
    /// The last mark that the program has made (MGEN_Key).
    std::optional<int> key{};
    /// Where the program has called what haichi gave it to link, which makes calls of its own; null: it makes none.
    const void* library_call_site = nullptr;
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] int exit_code() const { return exit_code_; }
    [[nodiscard]] bool has_ended() const { return has_ended_; }
    void count_call() { ++calls_; }
    /// Around each call of the program: code between calls is measured (CodeMeter). Calls may be made within others.
    void enter_call() {
        if (meter_ != nullptr && depth_++ == 0) charge_code();
    }
    void leave_call() {
        if (meter_ != nullptr && --depth_ == 0) code_since_ns_ = CodeMeter::now_ns();
    }
    void* calls_state = nullptr;  ///< what the binary interface keeps for the rank

    /// A look at the clock, or at a request that is not complete, takes at least this long.
    static constexpr std::int64_t kPollPs = 100'000;
    static constexpr std::int64_t kClockShare = 4096;
    /// While nothing else can happen a rank may look this often, fewer times where more ranks do.
    static constexpr std::uint32_t kMostIdleLooks = 2'000'000;
    static constexpr std::uint32_t kMostIdleLooksOfRank = 100'000;
    static constexpr std::uint32_t kLeastIdleLooksOfRank = 10'000;

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
    /// The program's code since it came from its last call has taken time.
    void charge_code();

    Host* host_ = nullptr;
    RankListener* listener_ = nullptr;
    Fiber fiber_;
    Condition condition_;
    std::vector<Call> queue_;  ///< calls to make, from queued_ on
    std::uint32_t queued_ = 0;
    RankId id_;
    std::int64_t now_ps_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t changes_ = 0;              ///< completions and arrivals
    std::uint32_t looks_ = 0;                ///< in vain, one after another
    std::uint32_t idle_looks_ = 0;           ///< that are left while nothing else happens
    bool has_looked_out_ = false;            ///< none is left
    bool is_looking_ = false;                ///< the wait is one for something to look at
    bool is_stack_wanted_ = false;           ///< stack_state_ when the fiber stops next
    std::uint64_t stack_state_ = 0;          ///< a hash of what the program has on its stack and in registers
    std::uint64_t earlier_stack_state_ = 0;  ///< of an earlier look
    std::uint32_t clock_looks_ = 0;          ///< at the clock, nothing else between them
    bool waits_for_time_ = false;            ///< by these
    std::int64_t clock_since_ps_ = 0;        ///< the first of them
    const CodeMeter* meter_ = nullptr;       ///< null: code takes no time
    std::int64_t code_since_ns_ = 0;
    std::int32_t depth_ = 0;  ///< of calls within calls
    std::int32_t exit_code_ = 0;
    bool pays_ = false;  ///< the wait has not been paid yet
    bool has_ended_ = false;
};

}  // namespace haichi::host
