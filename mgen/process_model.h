#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mgen/call.h"
#include "mgen/completed_request.h"
#include "mgen/envelope.h"
#include "mgen/matching.h"
#include "mgen/pair_order.h"
#include "mgen/process_options.h"
#include "mgen/rank_group.h"
#include "mgen/rank_program.h"
#include "mgen/rank_times.h"
#include "mgen/remote_access.h"
#include "mgen/send_queue.h"
#include "mgen/stripes.h"
#include "netmodel/packetsim/packet_engine.h"

namespace haichi {

/// MPI processes on the packet simulator: the one way in for replayed workloads, logs and live programs.
///
/// Every rank has one CPU time line. A call first costs its CPU time (overhead, copies); what it does, a message handed
/// to the NIC, a receive posted, happens at the end of that time, so no rank runs ahead of the simulated time.
///
/// Eager messages are copied by the sender, whose request is then complete (with zero copy: when the last packet has
/// left). At the receiver they complete a posted receive on delivery; else the receive call copies them. Rendezvous
/// messages send a request of 0 bytes; it is answered, as ProcessOptions::progress says, once it is matched; the data
/// follow. The send is complete when the last packet has left, the receive on delivery. Messages match in the order of
/// the sends of a pair, whatever NICs they take.
///
/// Where sends go one by one, a rank has a queue of them: a rendezvous is over, and complete, when the news is back
/// that its data are there, and while it waits for its receive others go. Where buffers are limited, eager messages go
/// in pieces of a packet, as fast as news comes back that earlier ones are there.
///
/// Accesses to remote memory (puts, gets, atomic operations) are messages to the target's NIC, which answers each; they
/// are complete with the answer, and nothing orders them. Ranks poll for the arrivals of puts, by tag.
///
/// State is O(ranks + what is open). The messages of a pair are numbered, because they overtake each other on different
/// NICs, and between the packets of one NIC; pairs that have nothing under way are forgotten now and then, between two
/// windows.
/// A callback of the engine touches only ranks of its node, and what its partition keeps for them.
class ProcessModel final : public PacketClient {
  public:
    struct Parameters {
        const Network* network = nullptr;  ///< must outlive the model, as the program must
        PacketTiming timing;
        ProcessOptions process;
        std::vector<NodeId> node_of_rank;
        int threads = 1;
        int partitions = 0;              ///< as PacketEngineOptions
        Transport* transport = nullptr;  ///< as PacketEngineOptions
        bool uses_barriers = true;
        std::int64_t shortest_barrier_ps = -1;  ///< of all groups; -1: what the machine states
    };

    /// Throws OptionError for ranks on nodes that are none, and what PacketEngine throws.
    ProcessModel(const Parameters& parameters, RankProgram& program);
    ProcessModel(const ProcessModel&) = delete;
    ProcessModel& operator=(const ProcessModel&) = delete;

    /// Ranks that take part in a barrier, which takes `cost_ps` from the last arrival to the release, without one what
    /// the machine states. Before the run or in it, by one thread at a time.
    std::int32_t add_group(std::vector<RankId> ranks, std::optional<std::int64_t> cost_ps = std::nullopt);

    /// Runs all ranks to their end, or until go_on(), asked now and then while nothing else happens, says no, or up to
    /// and including `until_ps`; may be called again to go on. Throws InputError, saying who waits for what, when
    /// nothing can happen any more; UnsupportedError beyond 26 days.
    void run(
        const std::function<bool()>& go_on = [] { return true; }, std::int64_t until_ps = PacketEngine::kForEver);

    [[nodiscard]] std::int32_t rank_count() const { return static_cast<std::int32_t>(ranks_.size()); }
    [[nodiscard]] bool all_finished() const;
    /// All have finished, or the program was aborted and nothing can happen any more.
    [[nodiscard]] bool has_ended() const;
    /// Of a rank until now.
    [[nodiscard]] RankTimes times(RankId rank) const;
    [[nodiscard]] const PacketEngine& engine() const { return engine_; }
    /// As PacketEngine::watch() and take_passages().
    void watch(VertexId router, bool is_on) { engine_.watch(router, is_on); }
    [[nodiscard]] std::vector<PacketPassage> take_passages() { return engine_.take_passages(); }
    /// The ranks that have not finished and what they wait for, at most `most` of them.
    [[nodiscard]] std::string waiting_ranks(std::size_t most = 10);
    /// Pairs whose messages are numbered: at most kPairsOfRank for each rank, and twice those that had messages under
    /// way at one time.
    [[nodiscard]] std::int64_t numbered_pairs() const;
    static constexpr std::int64_t kPairsOfRank = 8;
    /// Of ranks and what is open. O(ranks).
    [[nodiscard]] std::size_t memory_bytes() const;

    // For the program, about the rank that it is asked for.
    /// The message that a receive would take now; null: none has come.
    [[nodiscard]] const Envelope* find_unexpected(RankId rank, const PostedReceive& wanted) {
        return rank_at(rank).matching.find(wanted);
    }
    /// From now on only a receive in Call::kReservedContext with this tag takes it. It must be there.
    void reserve_unexpected(RankId rank, const PostedReceive& wanted, std::int32_t reservation);
    /// False when it has been matched.
    bool cancel_receive(RankId rank, std::uint32_t request);
    /// Of an access whose answer was to come later; at the target's node, within accessed().
    void answer_access(const RemoteAccess& access, std::int64_t now_ps);

    // For the engine.
    void message_delivered(const PacketMessage& part_of, std::int64_t now_ps) override;
    void message_injected(const PacketMessage& part_of, std::int64_t now_ps) override;
    void timer(NodeId node, std::uint32_t data, std::int64_t now_ps) override;

  private:
    enum class State : std::uint8_t {
        kReady,
        kComputing,
        kCalling,
        kCopying,
        kWaiting,
        kInBarrier,
        kPolling,
        kFinished
    };
    // A message's note: source and destination rank, tag, `first` and `second`, the part and whether the sender waits.
    enum class Part : std::uint32_t {
        kEager,            ///< first: sequence, second: the send's request
        kRequest,          ///< first: sequence, second: the sender's envelope; PacketMessage::tag: the bytes
        kAcknowledgement,  ///< first: the receive's request, second: the sender's envelope
        kData,             ///< first: the receive's request, second: the send's request
        kAccess,           ///< first: the origin's request; PacketMessage::tag: the bytes of the answer
        kAnswer,           ///< to an access; first: as there; PacketMessage::tag: the bytes of the access
        kStep,             ///< a round trip of a rendezvous behind the first; second: the sender's envelope
        kTaken,  ///< first: of a rendezvous, second: the send's request; PacketMessage::tag: the bytes that are there
    };
    static constexpr std::uint32_t kPartMask = 7;
    static constexpr std::uint32_t kSenderWaits = 8;
    static constexpr int kAccessKindShift = 4;
    static constexpr std::uint32_t kAccessKindMask = 3;
    static constexpr std::uint32_t kIsCounted = 64;   // of an access
    static constexpr std::uint32_t kIsBuffered = 64;  // of an eager message: its sender waits for room in its buffers
    static constexpr std::uint32_t kIsHeld = 64;      // of an acknowledgement: there is no receive yet; first: sequence
    static constexpr std::uint32_t kIsBack = 64;      // of a step
    static constexpr std::uint32_t kIsByTarget = 128;
    static constexpr int kStripesShift = 8;  // the number of stripes of a message; 0: it is whole
    static constexpr int kMostPiecesShift = 20;
    static constexpr std::size_t kFirstOfNote = 3;
    static constexpr std::size_t kFlagsOfNote = 5;
    // A timer's data: the rank's place on its node, or the group, above what it is for.
    enum class Timer : std::uint32_t { kCpu, kRelease, kArrival };
    static constexpr int kTimerBits = 2;

    struct Rank {
        NodeId node;
        std::uint32_t place = 0;  ///< among the ranks of the node
        State state = State::kReady;
        std::int64_t since_ps = 0;
        std::int64_t compute_ps = 0;
        std::int64_t call_ps = 0;
        std::int64_t wait_ps = 0;
        Call call;
        std::uint32_t open_requests = 0;
        std::uint32_t sends = 0;
        std::uint32_t striped = 0;      ///< messages over several NICs
        std::uint32_t copied_send = 0;  ///< the sender's request of the message that is being copied
        Matching matching;
        PairOrder order;
        Envelope* first_deferred = nullptr;  ///< waiting for the rank's next call
        Envelope* last_deferred = nullptr;
        Arrivals arrivals;
        std::unique_ptr<SendQueue> send_queue;  ///< null where every send begins at once
    };
    [[nodiscard]] Rank& rank_at(RankId rank) { return ranks_[rank.index()]; }
    [[nodiscard]] RankGroup& group_at(std::uint32_t number) {
        const std::lock_guard<std::mutex> lock(groups_change_);
        return groups_.at(number);
    }
    /// What the ranks of a partition share.
    struct alignas(64) Shared {
        EnvelopePool envelopes;
        std::int64_t pairs = 0;  ///< whose messages are numbered at their source here
        Stripes arriving;
        Stripes leaving;
    };
    [[nodiscard]] Shared& shared_of(const Rank& rank) {
        return shared_[static_cast<std::size_t>(engine_.partition_of(rank.node))];
    }
    [[nodiscard]] EnvelopePool& pool_of(RankId rank) { return shared_of(rank_at(rank)).envelopes; }
    static std::uint32_t timer_data(std::uint32_t number, Timer timer) {
        return number << kTimerBits | static_cast<std::uint32_t>(timer);
    }

    // The CPU of a rank.
    void advance(RankId id, std::int64_t now_ps);
    [[nodiscard]] std::int64_t cost_ps(const Call& call) const;
    bool perform(RankId id, std::int64_t now_ps);
    void enter(Rank& rank, State state, std::int64_t now_ps);
    bool spend(Rank& rank, State state, std::int64_t cost_ps, std::int64_t now_ps);
    void resume_if_satisfied(RankId id, std::int64_t now_ps);
    [[nodiscard]] bool may_resume(RankId id);
    void arrive_at_barrier(RankId id, std::int64_t now_ps);
    bool look_again();
    void arrive_at_home(std::uint32_t group, std::int64_t last_ps);

    // Messages.
    [[nodiscard]] bool is_eager(const Call& call) const;
    [[nodiscard]] bool is_copied(const Call& call) const;
    void start_send(RankId id, std::int64_t now_ps);
    bool start_receive(RankId id, std::int64_t now_ps);
    void end_copied_receive(RankId id, std::int64_t now_ps);
    void hand_over(PacketMessage message, RankId sender, std::int64_t now_ps);
    static bool take_stripe(Stripes& stripes, PacketMessage& message);
    static void mark_stripe(PacketMessage& message, RankId sender, std::uint32_t number, std::int64_t stripes);
    [[nodiscard]] std::int32_t next_nic(Rank& rank, const SendOptions& options) const;
    [[nodiscard]] std::uint32_t next_number(Rank& rank, RankId destination);
    void take_in_order(Envelope& envelope, std::int64_t now_ps);
    void forget_pairs();
    void match(Envelope& envelope, std::int64_t now_ps);
    /// The next step of a rendezvous at `id`: acknowledgement or data, now or at its next call.
    void answer(RankId id, Envelope& envelope, std::int64_t now_ps);
    void answer_deferred(RankId id, std::int64_t now_ps);
    void defer(Rank& rank, Envelope& envelope);
    [[nodiscard]] PacketMessage message_of(Part part, const Envelope& envelope, std::uint32_t first,
                                           std::uint32_t second, std::uint32_t flags);
    void send_part(Part part, const Envelope& envelope, std::uint32_t first, std::uint32_t second, std::int64_t now_ps,
                   std::uint32_t flags = 0);
    void complete(RankId id, std::uint32_t request, const CompletedRequest& completion, std::int64_t now_ps);

    // Sends that wait for their turn, and what tells of it.
    [[nodiscard]] bool is_limited(const Envelope& envelope);
    void queue_send(RankId id, Envelope& envelope, bool is_copied, std::int64_t now_ps);
    void push_sends(RankId id, std::int64_t now_ps);
    bool push_eager(RankId id, Envelope& envelope, std::int64_t now_ps);
    void send_taken(PacketMessage message, bool is_rendezvous, std::int64_t now_ps);
    void taken_delivered(const PacketMessage& message, std::int64_t now_ps);
    void acknowledgement_delivered(const PacketMessage& message, std::int64_t now_ps);
    void step_delivered(const PacketMessage& message, std::int64_t now_ps);

    // Remote memory access.
    static RemoteAccess::Kind access_kind(Call::Kind kind);
    static RemoteAccess access_of(const PacketMessage& message);
    void start_access(RankId id, std::int64_t now_ps);
    void access_delivered(const PacketMessage& message, std::int64_t now_ps);
    static void set_kind(RemoteAccess& access, std::uint32_t flags);
    void perform_access(const RemoteAccess& access, std::int64_t now_ps);
    void perform_deferred(Envelope& envelope, std::int64_t now_ps);
    void answer_delivered(const PacketMessage& message, std::int64_t now_ps);

    [[nodiscard]] std::string what_it_waits_for(RankId id);

    RankProgram* program_;
    ProcessOptions options_;
    std::vector<Rank> ranks_;
    std::vector<RankId> ranks_of_nodes_;
    std::vector<std::uint32_t> first_of_node_;
    std::deque<RankGroup> groups_;  ///< group_at() finds one
    std::mutex groups_change_;
    PacketEngine engine_;
    std::vector<Shared> shared_;  ///< by partition
    std::int64_t most_pairs_;     ///< that are numbered before those with nothing under way are forgotten
    bool has_started_ = false;
};

}  // namespace haichi
