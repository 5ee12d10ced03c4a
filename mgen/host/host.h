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

/// Something of a rank that is put in place before its code runs: global variables, state of the C library.
class RankMemory {
  public:
    virtual ~RankMemory() = default;
    /// Before the first time: what it has in the beginning.
    virtual void put_in_place(RankId rank) = 0;
    /// Behind what the rank did in one go, at this simulated time.
    virtual void has_stopped(RankId /*rank*/, std::int64_t /*now_ps*/) {}
    virtual void has_ended(RankId /*rank*/, std::int64_t /*now_ps*/) {}
    /// Whether what lies there is another rank's while that is in place.
    [[nodiscard]] virtual bool holds(const void* /*address*/) const { return false; }
};

/// Programs in fibers, one for each rank, as a program for ProcessModel: ranks run when the model asks for their next
/// call.
///
/// With several threads each has nodes of its own, and the code of a rank always runs in the same one: it may remember
/// the address of a thread-local variable. The code of one rank runs at a time, and so does everything here that
/// touches ranks: programs and what they share (standard output, the C library, variables that are put in place,
/// communicators that are being made) are never entered by two threads, while packets go on in all of them. Nothing
/// that ranks share may depend on which of two ranks of one moment comes first.
class Host final : public RankProgram {
  public:
    struct Setup {
        std::int32_t ranks = 0;
        std::size_t stack_bytes = 0;
        std::int32_t threads = 1;
        std::function<int(LiveRank&)> body;  ///< what each rank runs; its exit code
        std::vector<RankMemory*> memories{};
        std::int64_t call_overhead_ps = 0;  ///< of a look at a request
        std::int64_t barrier_step_ps = 0;   ///< of the machine's hardware barriers; 0: it has none
        std::int32_t barrier_groups = 0;    ///< of a node; 0: any number
        std::vector<NodeId> node_of_rank{};
        /// How a place of the program is called in messages: "file.c:12"; may be empty.
        std::function<std::string(const void* address)> place_name{};
        /// Of the program's code between calls; none: it takes no time.
        std::optional<CodeMeter> code_meter{};
        /// What else may be why ranks wait for ever; begins with "; ", or is empty.
        std::function<std::string()> hint_when_stuck{};
    };
    /// Throws as StackArena.
    explicit Host(Setup setup);
    ~Host();

    // For ProcessModel.
    void set_model(ProcessModel& model) override { model_ = &model; }
    [[nodiscard]] Call next(RankId rank, std::int64_t now_ps) override;
    void completed(RankId rank, std::uint32_t request, const CompletedRequest& request_is,
                   std::int64_t now_ps) override;
    TargetAnswer accessed(const RemoteAccess& access, std::int64_t now_ps) override;
    void arrived(RankId rank) override { ranks_[rank.index()].note_change(); }
    [[nodiscard]] bool may_resume(RankId rank, std::uint32_t open_requests) override;
    /// Whether some of these go on looking for messages.
    [[nodiscard]] bool may_look_again(std::span<const RankId> waiting) override;
    [[nodiscard]] std::string hint_when_stuck() const override;
    /// A rank has ended the program; the others make no more calls.
    [[nodiscard]] bool was_aborted() const override { return abort_code_.has_value(); }
    /// " in MPI_Recv (ring.c:12)"
    [[nodiscard]] std::string place(RankId rank) const override;
    [[nodiscard]] bool keeps_threads() const override { return true; }
    [[nodiscard]] bool makes_groups() const override { return true; }

    [[nodiscard]] LiveRank& rank(RankId id) { return ranks_[id.index()]; }
    [[nodiscard]] const LiveRank& rank(RankId id) const { return ranks_[id.index()]; }
    [[nodiscard]] std::int32_t rank_count() const { return static_cast<std::int32_t>(ranks_.size()); }
    [[nodiscard]] const Setup& setup() const { return setup_; }
    /// Of the barrier network: a group for LiveRank::hardware_barrier().
    std::int32_t add_barrier_group(std::vector<RankId> ranks, std::int64_t cost_ps);
    [[nodiscard]] NodeId node_of(RankId rank) const { return setup_.node_of_rank[rank.index()]; }
    [[nodiscard]] const StackArena& stacks() const { return stacks_; }
    [[nodiscard]] std::uint64_t calls() const;
    /// Of MPI_Abort, or exit() with a rank that ends the whole.
    [[nodiscard]] std::optional<int> abort_code() const { return abort_code_; }

  private:
    friend class LiveRank;

    /// Until it is given back no other thread touches ranks.
    [[nodiscard]] std::unique_lock<std::mutex> alone() {
        return setup_.threads > 1 ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    }
    /// What a rank has done wrong, and where: the place is looked up behind it, which may take much stack.
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
