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

/// A message that a matched probe has taken out of the matching.
struct MatchedMessage {
    Status status;
    RankId source;
    std::int32_t reservation = 0;
    MembershipRef membership;
};

/// What an access to another rank's memory does there and here, besides the time that it takes.
class RemoteOperation {
  public:
    virtual ~RemoteOperation() = default;
    /// Once, when it has come to its target (Call::put and others), whose memory is in place: moves the data. Not where
    /// the target has ended. What waits there is asked again. kLater: Process::answer() of the target ends it.
    virtual TargetAnswer at_target(const RemoteAccess& /*access*/, std::int64_t /*now_ps*/) {
        return TargetAnswer::kNow;
    }
    /// Once, before the origin goes on behind the answer; its memory is in place.
    virtual void at_origin() {}
};

/// MPI of one rank: messages, requests and collectives. Its functions are called on the fiber of the rank, those that
/// block let others run. CallError for arguments that MPI does not allow.
class Process final : public host::RankListener {
  public:
    Process(World& world, host::LiveRank& rank);
    ~Process() override;

    [[nodiscard]] RankId id() const { return rank_->id(); }
    [[nodiscard]] host::LiveRank& rank() { return *rank_; }
    [[nodiscard]] World& world() { return *world_; }

    // Messages. The request of begin_...() is the caller's; release() gives it back, whether it is complete or not.
    Request& begin_send(MessageArguments message);
    Request& begin_receive(MessageArguments message);
    /// What the next send of the program asks for.
    void set_next_send(const SendOptions& options) { next_send_ = options; }
    void send(MessageArguments message);
    Status receive(MessageArguments message);
    Status send_receive(MessageArguments send, MessageArguments receive);
    /// One request for both; its status is that of the receive.
    Request& begin_send_receive(MessageArguments send, MessageArguments receive);
    Request& prepare(Request::Kind kind, MessageArguments message);  ///< a persistent one; start() begins it
    Request& receive_matched(const MatchedMessage& matched, const Buffer& buffer, DatatypeRef type);
    void start(Request& request);

    // Collectives.
    struct BeginSteps {
        std::function<Steps(Exchange&)> begin;
        bool need_memory = true;  ///< as host::RankListener::work_needs_memory()
    };
    using Meeting = collectives::Meeting;
    /// Runs the steps to their end.
    void run_collective(const MembershipRef& membership, BeginSteps steps);
    Request& begin_collective(const MembershipRef& membership, BeginSteps steps);
    Request& prepare_collective(const MembershipRef& membership, BeginSteps steps);
    /// Waits until all members of the group have come here. Nothing is moved.
    void meet(const MembershipRef& membership, Meeting meeting);
    /// The same of the local group of an inter-communicator, or of any group within a communicator.
    void meet_group(const MembershipRef& membership, const Group& group, std::int32_t tag, Meeting meeting);
    /// The request is complete when all have come.
    Request& begin_meeting(const MembershipRef& membership, const GroupRef& group, Meeting meeting);

    // Requests.
    Request& begin_generalized();
    void complete_generalized(Request& request);
    [[nodiscard]] static bool is_done(const Request& request) { return request.is_complete || !request.is_active; }
    void wait(Request& request);
    void wait_all(std::span<Request* const> requests);
    /// Until at least one of them is complete; null ones are not looked at.
    void wait_any(std::span<Request* const> requests);
    bool test(Request& request);
    bool test_all(std::span<Request* const> requests);
    bool test_any(std::span<Request* const> requests);
    /// Behind a completed wait or test: the status, once; a persistent request is inactive then.
    Status finish(Request& request);
    void cancel(Request& request);
    void release(Request& request);
    /// In use by the program: begun and not waited for, or persistent.
    [[nodiscard]] std::size_t open_requests() const { return requests_.size() - unused_.size(); }
    /// One of them; null: there is none.
    [[nodiscard]] const Request* first_open_request() const;
    /// Until all buffered sends have left.
    void wait_for_buffered();

    // Remote memory access.
    /// A number that is not used again.
    using AccessNumber = std::uint64_t;
    /// Begins a Call::put(), get() or atomic(), whose `request` is set here. `operation` may be null: it moves nothing.
    AccessNumber begin_access(Call call, std::unique_ptr<RemoteOperation> operation);
    /// The same from at_origin(), which is not on the fiber of the rank.
    AccessNumber queue_access(Call call, std::unique_ptr<RemoteOperation> operation);
    /// At the target.
    void answer(const RemoteAccess& access, std::int64_t now_ps) { rank_->answer(access, now_ps); }
    /// For a program that waits for one access: complete_access() ends it.
    Request& begin_access_request();
    void complete_access(Request& request) { end_request(request); }
    /// Data of a message or an access were not moved, because of PayloadRule.
    void note_without_payload() { ++without_payload_; }
    /// It has been answered, and at_origin() has been called.
    [[nodiscard]] bool is_done(AccessNumber access) const;
    [[nodiscard]] std::size_t open_accesses() const { return accesses_.size(); }
    void wait_for_access(AccessNumber access);
    void wait_for_accesses();
    /// Until a counted put with this tag has come, which is consumed.
    void poll(std::int32_t tag);

    // Probes.
    Status probe(int source, int tag, const MembershipRef& membership);
    std::optional<Status> probe_now(int source, int tag, const MembershipRef& membership);
    MatchedMessage take_matched(int source, int tag, const MembershipRef& membership);
    std::optional<MatchedMessage> take_matched_now(int source, int tag, const MembershipRef& membership);

    // For RankListener.
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

    /// Messages that were received without their data, because of PayloadRule.
    [[nodiscard]] std::int64_t without_payload() const { return without_payload_; }
    /// A message of the program that nobody has received.
    struct LostMessage {
        RankId to;  ///< invalid: none
        std::int32_t tag = 0;
        std::int64_t bytes = 0;
        const char* call_name = nullptr;
        const void* call_site = nullptr;
    };
    /// At the end of the run, in no order.
    [[nodiscard]] std::vector<LostMessage> lost_messages() const;
    bool is_initialized = false;
    bool is_finalized = false;

  private:
    /// Of the process model's requests: what they belong to.
    struct Sending {
        Payload payload{};
        Request* request = nullptr;
        Collective* collective = nullptr;
        Exchange::Message message = 0;
        LostMessage content{};  ///< of the program
        bool is_buffered = false;
        bool is_sent = false;   ///< the send is complete
        bool is_taken = false;  ///< the receiver has the payload
    };
    struct Receiving {
        Buffer buffer{};
        DatatypeRef type{};  ///< keeps that of the buffer where its request may be gone before the data are taken
        Request* request = nullptr;
        Collective* collective = nullptr;
        Exchange::Message message = 0;
        Payload payload{};
        bool needs_memory = true;
    };
    struct Access {
        std::unique_ptr<RemoteOperation> operation{};
        std::uint32_t serial = 0;  ///< 0: not in use
    };
    struct CollectiveEnd {
        Collective* collective;
        Exchange::Message message;
    };

    /// What a rank waits for that has to complete one and all.
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
    /// Packs what is sent, and queues the call.
    void start_message(Request& request);
    void start_send(Request& request);
    void start_receive(Request& request, std::int32_t tag, std::uint32_t context);
    std::uint32_t pack(const Buffer& buffer, std::int64_t bytes, bool moves_payload, RankId to, std::int32_t tag);
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
    std::vector<std::unique_ptr<Request>> requests_;  ///< in use and not
    std::vector<Request*> unused_;
    Slots<Sending> sends_;
    Slots<Receiving> receives_;
    Slots<Access> accesses_;
    std::vector<std::uint32_t> ended_accesses_;  ///< whose at_origin() is to be called
    std::uint32_t access_serial_ = 0;
    Awaited awaited_;
    std::vector<std::uint32_t> to_unpack_;
    std::vector<CollectiveEnd> collective_ends_;
    SendOptions next_send_{};
    std::int64_t buffered_sends_ = 0;  ///< under way
    std::int64_t without_payload_ = 0;
    std::int32_t reservations_ = 0;
};

}  // namespace haichi::mpi
