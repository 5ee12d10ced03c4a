#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mgen/host/fiber.h"
#include "mgen/host/live_rank.h"
#include "mgen/rank_program.h"
#include "netmodel/topology/ids.h"

namespace haichi::host {

/// State that each rank has for itself and that is restored before its code runs, such as global variables.
class RankMemory {
  public:
    virtual ~RankMemory() = default;
    /// Restores the rank's state. On the first call for a rank, sets its initial state.
    virtual void put_in_place(RankId rank) = 0;
    /// Called immediately before each run of the rank's code.
    virtual void will_run(RankId /*rank*/) {}
    /// Called after each run of the rank's code, with the simulated time at which it suspended.
    virtual void has_stopped(RankId /*rank*/, std::int64_t /*now_ps*/) {}
    virtual void has_ended(RankId /*rank*/, std::int64_t /*now_ps*/) {}
    /// True if the memory at this address is private to each rank, so that its contents change with the running rank.
    [[nodiscard]] virtual bool holds(const void* /*address*/) const { return false; }
};

/// The program that ProcessModel simulates, with one fiber per rank. A rank runs when the model requests its next call.
///
/// With several threads, each thread has nodes of its own, and the code of a rank always runs in the same thread. The
/// code may therefore keep the address of a thread-local variable. Only one rank runs at a time. The same lock covers
/// all code here that accesses ranks: their programs and the state that they share. Shared state is standard output,
/// the C library, variables that are put in place, and communicators under construction. Packets are simulated by all
/// threads at the same time. Shared state must not depend on the order in which two ranks run at the same simulated
/// time.
class Host final : public RankProgram {
  public:
    struct Setup {
        std::int32_t ranks = 0;
        std::size_t stack_bytes = 0;
        std::int32_t threads = 1;
        std::function<int(LiveRank&)> body;  ///< the code of each rank; returns its exit code
        std::vector<RankMemory*> memories{};
        std::int64_t call_overhead_ps = 0;  ///< CPU overhead of polling a request
        std::int64_t barrier_step_ps = 0;   ///< step time of the machine's hardware barriers; 0 if it has none
        std::int32_t barrier_groups = 0;    ///< hardware barrier groups per node; 0 if unlimited
        std::vector<NodeId> node_of_rank{};
        /// Returns the name of a call site for messages, such as "file.c:12". The function and its result may be empty.
        std::function<std::string(const void* address)> place_name{};
        /// Measures the program's code between calls. If it is not set, the program's code takes no simulated time.
        std::optional<CodeMeter> code_meter{};
        /// Further reasons why ranks may wait forever. The text begins with "; " or is empty.
        std::function<std::string()> hint_when_stuck{};
    };
    /// Throws the same errors as StackArena.
    explicit Host(Setup setup);
    ~Host();

    // Called by ProcessModel.
    void set_model(ProcessModel& model) override { model_ = &model; }
    [[nodiscard]] Call next(RankId rank, std::int64_t now_ps) override;
    void completed(RankId rank, std::uint32_t request, const CompletedRequest& request_is,
                   std::int64_t now_ps) override;
    TargetAnswer accessed(const RemoteAccess& access, std::int64_t now_ps) override;
    void arrived(RankId rank) override { ranks_[rank.index()].note_change(); }
    [[nodiscard]] bool may_resume(RankId rank, std::uint32_t open_requests) override;
    /// True if some of these ranks continue to poll for messages.
    [[nodiscard]] bool may_look_again(std::span<const RankId> waiting) override;
    [[nodiscard]] std::string hint_when_stuck() const override;
    /// True if a rank has aborted the program. The other ranks then make no further calls.
    [[nodiscard]] bool was_aborted() const override { return abort_code_.has_value(); }
    /// The current call and its call site, for messages: " in MPI_Recv (ring.c:12)".
    [[nodiscard]] std::string place(RankId rank) const override;
    [[nodiscard]] bool keeps_threads() const override { return true; }
    [[nodiscard]] bool makes_groups() const override { return true; }

    [[nodiscard]] LiveRank& rank(RankId id) { return ranks_[id.index()]; }
    [[nodiscard]] const LiveRank& rank(RankId id) const { return ranks_[id.index()]; }
    [[nodiscard]] std::int32_t rank_count() const { return static_cast<std::int32_t>(ranks_.size()); }
    [[nodiscard]] const Setup& setup() const { return setup_; }
    /// Adds a group to the barrier network and returns its ID for LiveRank::hardware_barrier().
    std::int32_t add_barrier_group(std::vector<RankId> ranks, std::int64_t cost_ps);
    [[nodiscard]] NodeId node_of(RankId rank) const { return setup_.node_of_rank[rank.index()]; }
    [[nodiscard]] const StackArena& stacks() const { return stacks_; }
    [[nodiscard]] std::uint64_t calls() const;
    /// The exit code of MPI_Abort(), or of an exit() by which one rank ends the whole run.
    [[nodiscard]] std::optional<int> abort_code() const { return abort_code_; }

  private:
    friend class LiveRank;

    /// Keeps other threads from accessing ranks until the lock is released.
    [[nodiscard]] std::unique_lock<std::mutex> alone() {
        return setup_.threads > 1 ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    }
    /// An error of a rank and its call site. The site's name is looked up after the rank has suspended, because the
    /// lookup may need a large stack.
    struct Failure {
        RankId rank;
        const void* site;
        std::string what, hint;
    };
    [[nodiscard]] Call next_of(LiveRank& rank);
    static void enter(void* rank);
    void put_in_place(const LiveRank& rank);
    [[noreturn]] void throw_failure();
    static void work(LiveRank& rank);
    void run(LiveRank& rank);

    Setup setup_;
    std::mutex mutex_;
    StackArena stacks_;
    std::vector<LiveRank> ranks_;
    ProcessModel* model_ = nullptr;
    RankId in_place_;
    std::exception_ptr error_;
    std::optional<int> abort_code_;
    std::optional<Failure> failure_;
};

}  // namespace haichi::host
