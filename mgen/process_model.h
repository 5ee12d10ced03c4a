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

/// Runs MPI ranks on the packet simulator. Replayed workloads, logs and live programs all use this class.
///
/// Every rank has one CPU time line. A call first costs its CPU time (overhead, copies). Its effect happens at the end
/// of that time, such as handing a message to the NIC or posting a receive. So no rank runs ahead of the simulated
/// time.
///
/// The sender copies an eager message, and its request is then complete. With zero copy, the request is complete when
/// the last packet has left. At the receiver, an eager message completes a posted receive on delivery; otherwise the
/// receive call copies it. A rendezvous message sends a request of 0 bytes. Once matched, the request is acknowledged
/// according to ProcessOptions::progress, and the data follow. The send is complete when the last packet has left, and
/// the receive on delivery. Messages of a pair match in the order of their sends, regardless of their NICs.
///
/// With ProcessOptions::sends_one_by_one, each rank has a queue of sends. A rendezvous then ends, and its send is
/// complete, when the sender learns that the data have arrived. While a rendezvous waits for its receive, other sends
/// go first. If buffers are limited, eager messages are sent in pieces of one packet as earlier pieces are confirmed.
///
/// Accesses to remote memory (puts, gets, atomic operations) are messages to the target's NIC, which answers each of
/// them. An access is complete when its answer has arrived, and accesses are not ordered. Ranks poll for the arrivals
/// of puts, by tag.
///
/// State is O(ranks + open requests and messages). The messages of a pair are numbered, because they can overtake each
/// other: on different NICs, or on one NIC that interleaves their packets. Pairs without messages in flight are
/// forgotten from time to time, between two lookahead windows. A callback of the engine accesses only ranks of its node
/// and the state that its partition keeps for them.
class ProcessModel final : public PacketClient {
  public:
    struct Parameters {
        const Network* network = nullptr;  ///< must outlive the model, like the program
        PacketTiming timing;
        ProcessOptions process;
        std::vector<NodeId> node_of_rank;
        int threads = 1;
        int partitions = 0;              ///< see PacketEngineOptions
        Transport* transport = nullptr;  ///< see PacketEngineOptions
        bool uses_barriers = true;
        std::int64_t shortest_barrier_ps = -1;  ///< applies to all groups; -1 selects the machine's value
    };

    /// Throws OptionError for ranks on invalid nodes, and the errors of PacketEngine.
    ProcessModel(const Parameters& parameters, RankProgram& program);
    ProcessModel(const ProcessModel&) = delete;
    ProcessModel& operator=(const ProcessModel&) = delete;

    /// Adds a group of ranks for barriers. A barrier takes `cost_ps` from the last arrival to the release, by default
    /// the machine's value. Call this before or during the run, from one thread at a time.
    std::int32_t add_group(std::vector<RankId> ranks, std::optional<std::int64_t> cost_ps = std::nullopt);

    /// Runs all ranks until they finish, until go_on() returns false, or up to and including `until_ps`. The function
    /// go_on() is called from time to time while nothing else runs. Call run() again to continue. Throws InputError
    /// with the waiting ranks if nothing can happen any more. Throws UnsupportedError beyond 26 days of simulated time.
    void run(
        const std::function<bool()>& go_on = [] { return true; }, std::int64_t until_ps = PacketEngine::kForEver);

    [[nodiscard]] std::int32_t rank_count() const { return static_cast<std::int32_t>(ranks_.size()); }
    [[nodiscard]] bool all_finished() const;
    /// True if all ranks have finished, or if the program was aborted and nothing can happen any more.
    [[nodiscard]] bool has_ended() const;
    /// The times of a rank so far.
    [[nodiscard]] RankTimes times(RankId rank) const;
    [[nodiscard]] const PacketEngine& engine() const { return engine_; }
    /// See PacketEngine::watch() and take_passages().
    void watch(VertexId router, bool is_on) { engine_.watch(router, is_on); }
    [[nodiscard]] std::vector<PacketPassage> take_passages() { return engine_.take_passages(); }
    /// Lists at most `most` unfinished ranks and what they wait for.
    [[nodiscard]] std::string waiting_ranks(std::size_t most = 8);
    /// Number of pairs whose messages are numbered. It is at most kPairsOfRank for each rank, plus twice the largest
    /// number of pairs with messages in flight.
    [[nodiscard]] std::int64_t numbered_pairs() const;
    static constexpr std::int64_t kPairsOfRank = 8;
    /// Memory for ranks, open requests and messages. Takes O(ranks) time.
    [[nodiscard]] std::size_t memory_bytes() const;

    // For use by the program, only for the rank whose callback is running.
    /// The message that a receive would take now; null if none has arrived.
    [[nodiscard]] const Envelope* find_unexpected(RankId rank, const PostedReceive& wanted) {
        return rank_at(rank).matching.find(wanted);
    }
    /// Reserves an unexpected message: only a receive in Call::kReservedContext with tag `reservation` takes it from
    /// now on. An unexpected message must fit `wanted`.
    void reserve_unexpected(RankId rank, const PostedReceive& wanted, std::int32_t reservation);
    /// Returns false if the receive has already been matched.
    bool cancel_receive(RankId rank, std::uint32_t request);
    /// Answers an access for which accessed() returned kLater. Call this at the target's node, within accessed().
    void answer_access(const RemoteAccess& access, std::int64_t now_ps);

    // Called by the engine.
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
    // A message's note holds the source and destination ranks, the tag, `first`, `second`, the part with its flags, and
    // the context.
    enum class Part : std::uint32_t {
        kEager,            ///< first = sequence, second = the send's request
        kRequest,          ///< first = sequence, second = the sender's envelope, PacketMessage::tag = the bytes
        kAcknowledgement,  ///< first = the receive's request, second = the sender's envelope
        kData,             ///< first = the receive's request, second = the send's request
        kAccess,           ///< first = the origin's request, PacketMessage::tag = the bytes of the answer
        kAnswer,           ///< answer; first = the origin's request, PacketMessage::tag = the bytes of the access
        kStep,             ///< a further round trip of a rendezvous; second = the sender's envelope
        kTaken,  ///< first = 1 for a rendezvous, second = the send's request, PacketMessage::tag = the bytes received
    };
    static constexpr std::uint32_t kPartMask = 7;
    static constexpr std::uint32_t kSenderWaits = 8;
    static constexpr int kAccessKindShift = 4;
    static constexpr std::uint32_t kAccessKindMask = 3;
    static constexpr std::uint32_t kIsCounted = 64;   // for an access whose arrival poll() may consume
    static constexpr std::uint32_t kIsBuffered = 64;  // for an eager message whose sender has limited buffers
    static constexpr std::uint32_t kIsHeld = 64;      // for the notice that no receive is posted yet; first = sequence
    static constexpr std::uint32_t kIsBack = 64;      // for a step from the receiver back to the sender
    static constexpr std::uint32_t kIsByTarget = 128;
    static constexpr int kStripesShift = 8;  // number of stripes of a message; 0 if it is whole
    static constexpr int kMostPiecesShift = 20;
    static constexpr std::size_t kFirstOfNote = 3;
    static constexpr std::size_t kFlagsOfNote = 5;
    // A timer's data contains the rank's index on its node, or the group, shifted by kTimerBits, and the kind of timer.
    enum class Timer : std::uint32_t { kCpu, kRelease, kArrival };
    static constexpr int kTimerBits = 2;

    struct Rank {
        NodeId node;
        std::uint32_t place = 0;  ///< index among the ranks of the node
        State state = State::kReady;
        std::int64_t since_ps = 0;
        std::int64_t compute_ps = 0;
        std::int64_t call_ps = 0;
        std::int64_t wait_ps = 0;
        Call call;
        std::uint32_t open_requests = 0;
        std::uint32_t sends = 0;
        std::uint32_t striped = 0;      ///< number of messages over several NICs
        std::uint32_t copied_send = 0;  ///< the sender's request of the message being copied
        Matching matching;
        PairOrder order;
        Envelope* first_deferred = nullptr;  ///< envelopes that wait for the rank's next call
        Envelope* last_deferred = nullptr;
        Arrivals arrivals;
        std::unique_ptr<SendQueue> send_queue;  ///< null if every send begins at once
    };
    [[nodiscard]] Rank& rank_at(RankId rank) { return ranks_[rank.index()]; }
    [[nodiscard]] RankGroup& group_at(std::uint32_t number) {
        const std::lock_guard<std::mutex> lock(groups_change_);
        return groups_.at(number);
    }
    /// State that the ranks of a partition share.
    struct alignas(64) Shared {
        EnvelopePool envelopes;
        std::int64_t pairs = 0;  ///< number of pairs whose messages are numbered at a source in this partition
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
    /// Performs the next step of a rendezvous (acknowledgement or data) at rank `id`, now or at the rank's next call.
    void answer(RankId id, Envelope& envelope, std::int64_t now_ps);
    void answer_deferred(RankId id, std::int64_t now_ps);
    void defer(Rank& rank, Envelope& envelope);
    [[nodiscard]] PacketMessage message_of(Part part, const Envelope& envelope, std::uint32_t first,
                                           std::uint32_t second, std::uint32_t flags);
    void send_part(Part part, const Envelope& envelope, std::uint32_t first, std::uint32_t second, std::int64_t now_ps,
                   std::uint32_t flags = 0);
    void complete(RankId id, std::uint32_t request, const CompletedRequest& completion, std::int64_t now_ps);

    // Sends that wait for their turn, and messages that report arrivals to the sender.
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
    std::deque<RankGroup> groups_;  ///< accessed through group_at()
    std::mutex groups_change_;
    PacketEngine engine_;
    std::vector<Shared> shared_;  ///< by partition
    std::int64_t most_pairs_;     ///< limit of numbered pairs above which idle pairs are forgotten
    bool has_started_ = false;
};

}  // namespace haichi
