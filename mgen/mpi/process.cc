#include "mgen/mpi/process.h"

#include <algorithm>
#include <array>
#include <utility>

#include "mgen/mpi/world.h"

namespace haichi::mpi {

namespace {

std::int32_t model_tag(int tag) { return tag == kAnyTag ? Call::kAnyTag : tag; }

RankId model_source(int source, const Membership& membership) {
    return source == kAnySource ? RankId() : membership.communicator->partners().world_rank(source);
}

}  // namespace

Request::Request() = default;
Request::~Request() = default;

Process::Process(World& world, host::LiveRank& rank) : world_(&world), rank_(&rank) {}
Process::~Process() = default;

// ---- Requests -------------------------------------------------------------------------------------------------------

Request& Process::add_request(Request::Kind kind) {
    if (unused_.empty()) {
        requests_.push_back(std::make_unique<Request>());
        unused_.push_back(requests_.back().get());
    }
    Request& request = *unused_.back();
    unused_.pop_back();
    request.kind = kind;
    request.call_name = rank_->call_name;
    request.call_site = rank_->call_site;
    return request;
}

void Process::release(Request& request) {
    if (request.is_active && !request.is_complete) {
        request.is_detached = true;
        return;
    }
    request.is_persistent = request.is_active = request.is_complete = request.is_detached = false;
    request.message = {};
    request.status = {};
    request.collective.reset();
    request.begin_steps = nullptr;
    request.meets.reset();
    request.attached.reset();
    request.handle = 0;
    unused_.push_back(&request);
}

void Process::end_request(Request& request) {
    if (std::exchange(request.has_more, false)) return;
    request.is_complete = true;
    if (std::exchange(request.is_awaited, false)) --awaited_.requests;
    if (request.is_detached) release(request);
}

Status Process::finish(Request& request) {
    if (!request.is_active) return {};
    const Status status = request.status;
    request.is_active = false;
    request.is_complete = false;
    return status;
}

/// Requests are counted, so that the check after each completion only reads a number in cached memory.
void Process::await(std::span<Request* const> requests, host::WaitCost cost) {
    for (Request* request : requests) {
        if (request == nullptr || is_done(*request) || std::exchange(request->is_awaited, true)) continue;
        ++awaited_.requests;
    }
    rank_->wait_until(awaited_, cost);
}

void Process::wait(Request& request) { await(request, host::WaitCost::kCall); }

void Process::wait_all(std::span<Request* const> requests) { await(requests, host::WaitCost::kCall); }

void Process::wait_any(std::span<Request* const> requests) {
    rank_->wait_until(
        [&] { return std::ranges::any_of(requests, [](const Request* r) { return r != nullptr && r->is_complete; }); });
}

bool Process::test(Request& request) {
    return rank_->poll([&] { return is_done(request); });
}

bool Process::test_all(std::span<Request* const> requests) {
    return rank_->poll(
        [&] { return std::ranges::all_of(requests, [](const Request* r) { return r == nullptr || is_done(*r); }); });
}

bool Process::test_any(std::span<Request* const> requests) {
    return rank_->poll(
        [&] { return std::ranges::any_of(requests, [](const Request* r) { return r != nullptr && r->is_complete; }); });
}

Request& Process::begin_generalized() {
    Request& request = add_request(Request::Kind::kGeneralized);
    request.is_active = true;
    return request;
}

void Process::complete_generalized(Request& request) { end_request(request); }

void Process::cancel(Request& request) {
    if (!request.is_active || request.is_complete || request.kind != Request::Kind::kReceive) return;
    // A queued receive has to be posted before it can be cancelled.
    rank_->spend(0);
    if (request.is_complete || !rank_->cancel_receive(request.number)) return;
    receives_.take(request.number);
    request.status.is_cancelled = true;
    end_request(request);
}

// ---- Messages -------------------------------------------------------------------------------------------------------

Request& Process::prepare(Request::Kind kind, MessageArguments message) {
    Request& request = add_request(kind);
    request.message = std::move(message);
    request.is_persistent = true;
    return request;
}

Request& Process::add_message(Request::Kind kind, MessageArguments message) {
    Request& request = add_request(kind);
    request.message = std::move(message);
    return request;
}

Request& Process::begin_send(MessageArguments message) {
    Request& request = add_message(Request::Kind::kSend, std::move(message));
    start(request);
    return request;
}

Request& Process::begin_receive(MessageArguments message) {
    Request& request = add_message(Request::Kind::kReceive, std::move(message));
    start(request);
    return request;
}

void Process::start(Request& request) {
    if (request.kind != Request::Kind::kCollective) {
        start_message(request);
        rank_->make_many_calls();
    } else {
        start_collective(request);
    }
}

void Process::start_message(Request& request) {
    request.is_active = true;
    request.is_complete = false;
    request.status = {};
    if (request.message.partner == kNoProcess) {
        request.status = {.source = kNoProcess, .tag = kAnyTag, .bytes = 0};
        return end_request(request);
    }
    if (request.kind == Request::Kind::kSend) {
        start_send(request);
    } else {
        start_receive(request, model_tag(request.message.tag), request.message.membership->communicator->context);
    }
}

std::uint32_t Process::pack(const Buffer& buffer, std::int64_t bytes, RankId to, std::int32_t tag) {
    Sending sending;
    if (bytes > 0 && !world_->moves_payload()) {
        world_->note_dataless({.sent_ps = rank_->going_since_ps(),
                               .from = id(),
                               .to = to,
                               .tag = tag,
                               .bytes = bytes,
                               .call_name = rank_->call_name,
                               .call_site = rank_->call_site});
    } else if (bytes > 0) {
        sending.payload = Payload::pack(buffer);
        world_->check_payload_memory();
    }
    return sends_.add(std::move(sending));
}

void Process::start_send(Request& request) {
    const MessageArguments& message = request.message;
    const std::int64_t bytes = message.buffer.bytes();
    const Communicator& communicator = *message.membership->communicator;
    const RankId to = communicator.partners().world_rank(message.partner);
    const std::uint32_t number = pack(message.buffer, bytes, to, message.tag);
    request.number = number;
    SendOptions options = std::exchange(next_send_, {});
    if (message.mode == SendMode::kSynchronous) options.protocol = Protocol::kRendezvous;
    rank_->queue(Call::send(to, bytes, message.tag, options, number).in(communicator.context));
    sends_[number].content = {
        .to = to, .tag = message.tag, .bytes = bytes, .call_name = rank_->call_name, .call_site = rank_->call_site};
    if (message.mode == SendMode::kBuffered) {
        sends_[number].is_buffered = true;
        ++buffered_sends_;
        end_request(request);
    } else {
        sends_[number].request = &request;
    }
}

void Process::start_receive(Request& request, std::int32_t tag, std::uint32_t context) {
    const MessageArguments& message = request.message;
    Receiving receiving;
    receiving.buffer = message.buffer;
    receiving.type = message.type;
    receiving.request = &request;
    request.number = receives_.add(std::move(receiving));
    rank_->queue(
        Call::receive(model_source(message.partner, *message.membership), message.buffer.bytes(), tag, request.number)
            .in(context));
}

void Process::wait_for_buffered() {
    rank_->wait_until([&] { return buffered_sends_ == 0; });
}

void Process::send(MessageArguments message) {
    Request& request = begin_send(std::move(message));
    await(request, host::WaitCost::kNone);
    release(request);
}

Status Process::receive(MessageArguments message) {
    Request& request = begin_receive(std::move(message));
    await(request, host::WaitCost::kNone);
    const Status status = request.status;
    release(request);
    return status;
}

Status Process::send_receive(MessageArguments send, MessageArguments receive) {
    // Both messages begin at once. The receive may overwrite the send buffer, because the send data are packed by then.
    Request& from = add_message(Request::Kind::kReceive, std::move(receive));
    Request& to = add_message(Request::Kind::kSend, std::move(send));
    start_message(from);
    start_message(to);
    rank_->make_many_calls();
    await(std::array{&from, &to}, host::WaitCost::kNone);
    const Status status = from.status;
    release(from);
    release(to);
    return status;
}

Request& Process::begin_send_receive(MessageArguments send, MessageArguments receive) {
    if (send.partner == kNoProcess) return begin_receive(std::move(receive));
    Request& both = add_message(Request::Kind::kReceive, std::move(receive));
    both.has_more = true;
    start_message(both);
    // The send's own request is needed only until the data are packed and queued.
    Request& to = add_message(Request::Kind::kSend, std::move(send));
    start_message(to);
    if (to.is_complete) {
        end_request(both);
    } else {
        sends_[to.number].request = &both;
        to.is_active = false;
    }
    release(to);
    rank_->make_many_calls();
    return both;
}

std::vector<Process::LostMessage> Process::lost_messages() const {
    std::vector<LostMessage> lost;
    for (const Sending& sending : sends_.values()) {
        if (!sending.is_taken && sending.content.to.valid()) lost.push_back(sending.content);
    }
    return lost;
}

const Request* Process::first_open_request() const {
    if (open_requests() == 0) return nullptr;
    std::vector<const Request*> unused(unused_.begin(), unused_.end());
    std::ranges::sort(unused);
    return std::ranges::find_if(requests_,
                                [&](const auto& request) { return !std::ranges::binary_search(unused, request.get()); })
        ->get();
}

void Process::release_send(std::uint32_t send) {
    const Sending& sending = sends_[send];
    if (sending.is_sent && sending.is_taken) sends_.take(send);
}

Payload Process::take_payload(std::uint32_t send) {
    Payload payload = std::move(sends_[send].payload);
    sends_[send].is_taken = true;
    release_send(send);
    return payload;
}

Status Process::status_of(const Request& request, const CompletedRequest& of) const {
    const Communicator& communicator = *request.message.membership->communicator;
    // The model knows a message matched by MPI_Mprobe only by its reservation ID, so the probe's tag is used.
    const int tag = request.message.tag == kAnyTag ? of.tag : request.message.tag;
    Status status{.source = communicator.partners().rank_of(of.partner).value_or(0), .tag = tag, .bytes = of.bytes};
    if (const std::int64_t room_bytes = request.message.buffer.bytes(); of.bytes > room_bytes) {
        status.bytes = room_bytes;
        status.error = ErrorClass::kTruncate;
    }
    return status;
}

void Process::completed(std::uint32_t number, const CompletedRequest& of) {
    if (of.is_send) {
        Sending& sending = sends_[number];
        sending.is_sent = true;
        if (sending.is_buffered) --buffered_sends_;
        Request* request = std::exchange(sending.request, nullptr);
        if (sending.collective != nullptr) collective_ends_.push_back({sending.collective, sending.message});
        release_send(number);
        if (request != nullptr) end_request(*request);
        return;
    }
    if (of.is_access) {
        if (accesses_[number].operation) {
            ended_accesses_.push_back(number);
        } else {
            accesses_.take(number);
        }
        return;
    }
    Receiving& receiving = receives_[number];
    receiving.payload = world_->process(of.partner).take_payload(of.send_request);
    const bool has_payload = receiving.payload.bytes() > 0;
    // A meeting moves no data.
    const bool is_meeting = receiving.collective != nullptr && receiving.buffer.data == nullptr;
    if (of.bytes > 0 && !has_payload && !is_meeting) ++without_payload_;
    if (receiving.collective != nullptr) {
        collective_ends_.push_back({receiving.collective, receiving.message});
    } else {
        receiving.request->status = status_of(*receiving.request, of);
        end_request(*receiving.request);
    }
    if (has_payload) {
        to_unpack_.push_back(number);
    } else {
        receives_.take(number);
    }
}

bool Process::work_needs_memory() const {
    return !ended_accesses_.empty() || std::ranges::any_of(to_unpack_, [&](std::uint32_t number) {
        return receives_.values()[number].needs_memory;
    }) || std::ranges::any_of(collective_ends_, [](const CollectiveEnd& e) { return e.collective->needs_memory(); });
}

void Process::work() {
    for (const std::uint32_t number : to_unpack_) {
        const Receiving receiving = receives_.take(number);
        receiving.payload.unpack(receiving.buffer);
    }
    to_unpack_.clear();
    end_accesses();
    // The list is emptied first, because resumed steps may begin further messages.
    const std::vector<CollectiveEnd> ends = std::exchange(collective_ends_, {});
    for (const auto& [collective, message] : ends) collective->completed(message);
    for (const auto& [collective, message] : ends) {
        if (!collective->is_done() && collective->may_go_on()) go_on(*collective);
    }
}

// ---- Probes ---------------------------------------------------------------------------------------------------------

const Envelope* Process::find(int source, int tag, const Membership& membership) const {
    return rank_->find_unexpected(model_source(source, membership), model_tag(tag), membership.communicator->context);
}

Status Process::status_of(const Envelope& envelope, const Membership& membership) const {
    return {.source = membership.communicator->partners().rank_of(envelope.source).value_or(0),
            .tag = envelope.tag,
            .bytes = envelope.bytes};
}

Status Process::probe(int source, int tag, const MembershipRef& membership) {
    rank_->wait_until([&] { return find(source, tag, *membership) != nullptr; });
    return status_of(*find(source, tag, *membership), *membership);
}

std::optional<Status> Process::probe_now(int source, int tag, const MembershipRef& membership) {
    if (!rank_->poll([&] { return find(source, tag, *membership) != nullptr; })) return std::nullopt;
    return status_of(*find(source, tag, *membership), *membership);
}

MatchedMessage Process::reserve(int source, int tag, const MembershipRef& membership) {
    const Envelope& envelope = *find(source, tag, *membership);
    MatchedMessage matched{status_of(envelope, *membership), envelope.source, reservations_++, membership};
    rank_->reserve_unexpected(model_source(source, *membership), model_tag(tag), membership->communicator->context,
                              matched.reservation);
    return matched;
}

MatchedMessage Process::take_matched(int source, int tag, const MembershipRef& membership) {
    rank_->wait_until([&] { return find(source, tag, *membership) != nullptr; });
    return reserve(source, tag, membership);
}

std::optional<MatchedMessage> Process::take_matched_now(int source, int tag, const MembershipRef& membership) {
    if (!rank_->poll([&] { return find(source, tag, *membership) != nullptr; })) return std::nullopt;
    return reserve(source, tag, membership);
}

Request& Process::receive_matched(const MatchedMessage& matched, const Buffer& buffer, DatatypeRef type) {
    Request& request = add_request(Request::Kind::kReceive);
    request.message.buffer = buffer;
    request.message.type = std::move(type);
    request.message.partner = matched.status.source;
    request.message.tag = matched.status.tag;
    request.message.membership = matched.membership;
    request.is_active = true;
    start_receive(request, matched.reservation, Call::kReservedContext);
    return request;
}

}  // namespace haichi::mpi
