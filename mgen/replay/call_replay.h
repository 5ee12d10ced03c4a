#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/exchange.h"
#include "commlog/log/call_stream.h"
#include "commlog/log/job_log.h"
#include "commlog/log/untagged_pairs.h"
#include "mgen/rank_program.h"
#include "mgen/replay/call_replay_options.h"
#include "mgen/replay/collective_agreement.h"
#include "mgen/replay/open_posts.h"

namespace haichi {

/// A job's log as a program for ProcessModel. Every rank makes the calls of its log in order and computes between them
/// for the logged time. It waits where the program waited, for the same requests. Receives from any source use the
/// source in the log. Collectives are messages, with the same steps as in live programs. Each member performs its steps
/// while it is inside an MPI call, even for a non-blocking collective.
///
/// The log stays compressed. A rank stores its position in the loops, its open requests, and the state of CallStream.
class CallReplay final : public RankProgram {
  public:
    /// `job` must outlive it. Throws UnsupportedError for incomplete logs: without calls, with missing or killed ranks,
    /// with lost events, or with several communicating threads in a rank.
    CallReplay(const JobLog& job, const CallReplayOptions& options);
    CallReplay(const CallReplay&) = delete;
    CallReplay& operator=(const CallReplay&) = delete;
    ~CallReplay();

    /// The groups that barriers use. Pass them to ProcessModel::add_group in this order.
    [[nodiscard]] std::vector<std::vector<RankId>> barrier_groups() const;

    // Overrides of RankProgram.
    [[nodiscard]] Call next(RankId rank, std::int64_t now_ps) override;
    void completed(RankId rank, std::uint32_t request, const CompletedRequest& request_is,
                   std::int64_t now_ps) override;
    [[nodiscard]] bool may_resume(RankId rank, std::uint32_t open_requests) override;
    [[nodiscard]] std::string hint_when_stuck() const override { return std::string(kHintWhenLogIsStuck); }

    [[nodiscard]] ReplayGaps gaps() const;
    /// Number of calls made so far by all ranks.
    [[nodiscard]] std::uint64_t calls() const;

  private:
    struct Rank;
    class Task;
    struct CommunicatorUse {
        bool is_whole = false;    ///< all members are ranks of the job, and there is no remote group
        std::int32_t group = -1;  ///< for barriers; -1 if there is none
    };
    struct OwnCommunicator {
        std::int32_t own = 0;  ///< the rank's index in the communicator
        std::uint32_t collectives = 0;
    };
    [[nodiscard]] std::int64_t compute_ps(RankId id, const Rank& rank) const;
    [[nodiscard]] std::int64_t computing_ps(RankId id, double ticks) const;
    /// Called at the end of the rank's log.
    std::optional<Call> end(RankId id, Rank& rank);
    std::optional<Call> begin(RankId id, Rank& rank);
    std::optional<Call> begin_send(RankId id, Rank& rank);
    std::optional<Call> begin_receive(RankId id, Rank& rank);
    void begin_receives_from_any(RankId id, Rank& rank);
    std::optional<Call> begin_collective(RankId id, Rank& rank);
    void start_task(RankId id, Rank& rank, std::uint32_t communicator);
    void do_ready_steps(Rank& rank);
    void end_request(Rank& rank, std::uint64_t post);
    OwnCommunicator& own_communicator(RankId id, Rank& rank, std::uint32_t communicator) const;
    static void note_mean_size(Rank& rank);
    /// The tag by which a message of the pair is matched; 0 if its tags are unknown.
    [[nodiscard]] std::int32_t tag_of(std::int32_t source, std::int32_t destination, std::uint32_t communicator,
                                      std::int32_t tag) const {
        return untagged_.contains(source, destination, communicator) ? 0 : tag;
    }

    const JobLog* job_;
    UntaggedPairs untagged_;
    CallReplayOptions options_;
    std::vector<const CallSequence*> threads_;  ///< by rank
    std::optional<CollectiveAgreement> agreement_;
    std::vector<CommunicatorUse> communicators_;
    std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace haichi
