#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/meeting.h"
#include "mgen/host/live_rank.h"
#include "mgen/mpi/collective.h"
#include "mgen/mpi/payload.h"
#include "mgen/mpi/request.h"
#include "mgen/mpi/slots.h"

namespace haichi::mpi {

class World;

/// A message that a matched probe (MPI_Mprobe) has removed from matching.
struct MatchedMessage {
    Status status;
    RankId source;
    std::int32_t reservation = 0;
    MembershipRef membership;
};

/// The effects of an access to another rank's memory, at the target and at the origin, besides its duration.
class RemoteOperation {
  public:
    virtual ~RemoteOperation() = default;
    /// Called once when the access has arrived at its target (Call::put and others), with the target's memory in place.
    /// This function moves the data. It is not called if the target has ended. Afterwards, the target checks its waits
    /// again. kLater means that a later answer() call of the target's Process completes the access.
    virtual TargetAnswer at_target(const RemoteAccess& /*access*/, std::int64_t /*now_ps*/) {
        return TargetAnswer::kNow;
    }
    /// Called once, after the answer and before the origin continues, with the origin's memory in place.
    virtual void at_origin() {}
};

/// The MPI state of one rank: messages, requests and collectives. All functions must be called on the rank's fiber.
/// Blocking functions let other ranks run. Functions throw CallError for arguments that MPI does not allow.
class Process final : public host::RankListener {
  public:
    Process(World& world, host::LiveRank& rank);
    ~Process() override;

    [[nodiscard]] RankId id() const { return rank_->id(); }
    [[nodiscard]] host::LiveRank& rank() { return *rank_; }
    [[nodiscard]] World& world() { return *world_; }

    // Messages. The caller owns the request that begin_...() returns. release() gives the request back, complete or
    // not.
    Request& begin_send(MessageArguments message);
    Request& begin_receive(MessageArguments message);
    /// Sets the options of the program's next send.
    void set_next_send(const SendOptions& options) { next_send_ = options; }
    void send(MessageArguments message);
    Status receive(MessageArguments message);
    Status send_receive(MessageArguments send, MessageArguments receive);
    /// Both messages share one request, whose status is the receive's status.
    Request& begin_send_receive(MessageArguments send, MessageArguments receive);
    Request& prepare(Request::Kind kind, MessageArguments message);  ///< makes a persistent request; start() begins it
    Request& receive_matched(const MatchedMessage& matched, const Buffer& buffer, DatatypeRef type);
    void start(Request& request);

    // Collectives.
    struct BeginSteps {
        std::function<Steps(Exchange&)> begin;
        bool need_memory = true;  ///< see host::RankListener::work_needs_memory()
    };
    using Meeting = collectives::Meeting;
    /// Runs the steps of a collective until they are done.
    void run_collective(const MembershipRef& membership, BeginSteps steps);
    Request& begin_collective(const MembershipRef& membership, BeginSteps steps);
    Request& prepare_collective(const MembershipRef& membership, BeginSteps steps);
    /// Waits until all members of the communicator have called meet(). Moves no data.
    void meet(const MembershipRef& membership, Meeting meeting);
    /// Like meet(), for the local group of an inter-communicator or any group within a communicator.
    void meet_group(const MembershipRef& membership, const Group& group, std::int32_t tag, Meeting meeting);
    /// Like meet(), but returns a request that is complete when all members have arrived.
    Request& begin_meeting(const MembershipRef& membership, const GroupRef& group, Meeting meeting);

    // Requests.
    Request& begin_generalized();
    void complete_generalized(Request& request);
    [[nodiscard]] static bool is_done(const Request& request) { return request.is_complete || !request.is_active; }
    void wait(Request& request);
    void wait_all(std::span<Request* const> requests);
    /// Waits until at least one request is complete. Null requests are ignored.
    void wait_any(std::span<Request* const> requests);
    bool test(Request& request);
    bool test_all(std::span<Request* const> requests);
    bool test_any(std::span<Request* const> requests);
    /// Must be called once after a completed wait or test. Returns the status and makes a persistent request inactive.
    Status finish(Request& request);
    void cancel(Request& request);
    void release(Request& request);
    /// Number of requests that the program uses: persistent ones, and those begun and not yet released.
    [[nodiscard]] std::size_t open_requests() const { return requests_.size() - unused_.size(); }
    /// Any open request; null if there is none.
    [[nodiscard]] const Request* first_open_request() const;
    /// Waits until all buffered sends have left.
    void wait_for_buffered();

    // Remote memory access.
    /// A unique number that is never reused.
    using AccessNumber = std::uint64_t;
    /// Begins a Call::put(), get() or atomic(), and sets the call's `request`. If `operation` is null, no data are
    /// moved.
    AccessNumber begin_access(Call call, std::unique_ptr<RemoteOperation> operation);
    /// Like begin_access(), but for use in at_origin(), which does not run on the rank's fiber.
    AccessNumber queue_access(Call call, std::unique_ptr<RemoteOperation> operation);
    /// Must be called at the target.
    void answer(const RemoteAccess& access, std::int64_t now_ps) { rank_->answer(access, now_ps); }
    /// A request for a program that waits for a single access; complete_access() completes it.
    Request& begin_access_request();
    void complete_access(Request& request) { end_request(request); }
    /// Counts a message or an access whose data were not moved, as PayloadRule requires.
    void note_without_payload() { ++without_payload_; }
    /// True once the access has been answered and at_origin() has been called.
    [[nodiscard]] bool is_done(AccessNumber access) const;
    [[nodiscard]] std::size_t open_accesses() const { return accesses_.size(); }
    void wait_for_access(AccessNumber access);
    void wait_for_accesses();
    /// Waits for a counted put with this tag and consumes it.
    void poll(std::int32_t tag);

    // Probes.
    Status probe(int source, int tag, const MembershipRef& membership);
    std::optional<Status> probe_now(int source, int tag, const MembershipRef& membership);
    MatchedMessage take_matched(int source, int tag, const MembershipRef& membership);
    std::optional<MatchedMessage> take_matched_now(int source, int tag, const MembershipRef& membership);

    // Overrides of RankListener.
    void completed(std::uint32_t request, const CompletedRequest& request_is) override;
    TargetAnswer accessed(const RemoteAccess& access, std::int64_t now_ps) override;
    [[nodiscard]] bool has_work() const override { return !collective_ends_.empty() || !ended_accesses_.empty(); }
    [[nodiscard]] bool work_needs_memory() const override;
    void work() override;

    // For collectives.
    struct CollectiveMessage {
        Collective* collective = nullptr;
        Exchange::Message message = 0;
        RankId partner;
        std::uint32_t context = 0;
        std::int32_t tag = 0;
        bool moves_payload = true;
    };
    void send_for(const CollectiveMessage& message, const Buffer& buffer);
    void receive_for(const CollectiveMessage& message, const Buffer& buffer);

    /// Number of messages received without their data because of PayloadRule.
    [[nodiscard]] std::int64_t without_payload() const { return without_payload_; }
    /// A message of the program that no rank has received.
    struct LostMessage {
        RankId to;  ///< invalid if there is no message
        std::int32_t tag = 0;
        std::int64_t bytes = 0;
        const char* call_name = nullptr;
        const void* call_site = nullptr;
    };
    /// Called at the end of the run. The order is unspecified.
    [[nodiscard]] std::vector<LostMessage> lost_messages() const;
    bool is_initialized = false;
    bool is_finalized = false;

  private:
    /// The state of a send request of the process model.
    struct Sending {
        Payload payload{};
        Request* request = nullptr;
        Collective* collective = nullptr;
        Exchange::Message message = 0;
        LostMessage content{};  ///< for a message of the program
        bool is_buffered = false;
        bool is_sent = false;   ///< the process model has completed the send
        bool is_taken = false;  ///< the receiver has the payload
    };
    struct Receiving {
        Buffer buffer{};
        /// Keeps the type alive until the data are unpacked, because the request may be released earlier.
        DatatypeRef type{};
        Request* request = nullptr;
        Collective* collective = nullptr;
        Exchange::Message message = 0;
        Payload payload{};
        bool needs_memory = true;
    };
    struct Access {
        std::unique_ptr<RemoteOperation> operation{};
        std::uint32_t serial = 0;  ///< 0 marks an unused entry
    };
    struct CollectiveEnd {
        Collective* collective;
        Exchange::Message message;
    };

    /// The requests that the rank waits for; the wait ends when all of them are complete.
    struct Awaited {
        std::uint32_t requests = 0;
        bool operator()() const { return requests == 0; }
    };

    void await(std::span<Request* const> requests, host::WaitCost cost);
    void await(Request& request, host::WaitCost cost) { await(std::array{&request}, cost); }
    [[nodiscard]] Status status_of(const Request& request, const CompletedRequest& of) const;
    Request& add_request(Request::Kind kind);
    Request& add_message(Request::Kind kind, MessageArguments message);
    void start_collective(Request& request);
    /// Packs the data of a send and queues the call.
    void start_message(Request& request);
    void start_send(Request& request);
    void start_receive(Request& request, std::int32_t tag, std::uint32_t context);
    std::uint32_t pack(const Buffer& buffer, std::int64_t bytes, RankId to, std::int32_t tag);
    Payload take_payload(std::uint32_t send);
    void release_send(std::uint32_t send);
    void end_accesses();
    void end_request(Request& request);
    void go_on(Collective& collective);
    [[nodiscard]] const Envelope* find(int source, int tag, const Membership& membership) const;
    [[nodiscard]] Status status_of(const Envelope& envelope, const Membership& membership) const;
    MatchedMessage reserve(int source, int tag, const MembershipRef& membership);

    World* world_;
    host::LiveRank* rank_;
    std::vector<std::unique_ptr<Request>> requests_;  ///< used and unused requests
    std::vector<Request*> unused_;
    Slots<Sending> sends_;
    Slots<Receiving> receives_;
    Slots<Access> accesses_;
    std::vector<std::uint32_t> ended_accesses_;  ///< accesses whose at_origin() is to be called
    std::uint32_t access_serial_ = 0;
    Awaited awaited_;
    std::vector<std::uint32_t> to_unpack_;
    std::vector<CollectiveEnd> collective_ends_;
    SendOptions next_send_{};
    std::int64_t buffered_sends_ = 0;  ///< number of buffered sends in flight
    std::int64_t without_payload_ = 0;
    std::int32_t reservations_ = 0;
};

}  // namespace haichi::mpi
