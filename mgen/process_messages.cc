// Messages, their protocols and their order.

#include <utility>

#include "base/errors.h"
#include "mgen/process_model.h"

namespace haichi {

bool ProcessModel::is_eager(const Call& call) const {
    if (call.options.protocol != Protocol::kByLimit) return call.options.protocol == Protocol::kEager;
    return call.amount <= options_.eager_limit_bytes;
}

bool ProcessModel::is_copied(const Call& call) const {
    if (call.options.zero_copy || options_.send_copy == SendCopy::kNever) return false;
    return options_.send_copy == SendCopy::kAlways || is_eager(call);
}

void ProcessModel::start_send(RankId id, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    const Call& call = rank.call;
    if (call.partner.value < 0 || call.partner.value >= rank_count()) {
        throw OptionError("rank " + std::to_string(id.value) + " sends to rank " + std::to_string(call.partner.value) +
                          ", but the program has " + std::to_string(rank_count()) + " ranks");
    }
    Envelope envelope;
    envelope.source = id;
    envelope.destination = call.partner;
    envelope.tag = call.tag;
    envelope.context = call.context;
    envelope.bytes = call.amount;
    envelope.gap_ps = call.options.gap_ps;
    envelope.nic = next_nic(rank, call.options);
    envelope.sequence = next_number(rank, call.partner);
    envelope.send_request = call.request;
    ++rank.open_requests;
    envelope.is_eager = is_eager(call);
    const bool waits_for_turn = rank.send_queue != nullptr && (envelope.is_eager || options_.sends_one_by_one);
    if (envelope.is_eager && !waits_for_turn) {
        const bool is_complete = is_copied(call);
        if (is_complete) complete(id, call.request, {true, call.partner, call.tag, call.amount}, now_ps);
        send_part(Part::kEager, envelope, envelope.sequence, envelope.send_request, now_ps,
                  is_complete ? 0 : kSenderWaits);
        return;
    }
    Envelope& kept = pool_of(id).add();
    envelope.stage = Envelope::Stage::kRequested;
    envelope.round_trips_left = static_cast<std::uint8_t>(options_.rendezvous_round_trips - 1);
    envelope.index = kept.index;
    kept = envelope;
    if (waits_for_turn) return queue_send(id, kept, is_copied(call), now_ps);
    send_part(Part::kRequest, kept, kept.sequence, kept.index, now_ps);
}

/// Selects the NIC for the rank's next message or access.
std::int32_t ProcessModel::next_nic(Rank& rank, const SendOptions& options) const {
    const std::uint32_t number = rank.sends++;
    return options.nic >= 0 ? options.nic : static_cast<std::int32_t>(number % static_cast<unsigned>(options_.nics));
}

/// `flags` contains kSenderWaits and flags specific to the part.
PacketMessage ProcessModel::message_of(Part part, const Envelope& envelope, std::uint32_t first, std::uint32_t second,
                                       std::uint32_t flags) {
    PacketMessage message;
    message.source = rank_at(envelope.source).node;
    message.destination = rank_at(envelope.destination).node;
    const bool is_back = part == Part::kAcknowledgement || (part == Part::kStep && (flags & kIsBack) != 0);
    if (is_back) std::swap(message.source, message.destination);
    if (part == Part::kEager || part == Part::kData) {
        message.bytes = envelope.bytes;
        message.gap_ps = envelope.gap_ps;
    }
    if (part == Part::kRequest) message.tag = static_cast<std::uint64_t>(envelope.bytes);
    message.nic = envelope.nic;
    message.note = {static_cast<std::uint32_t>(envelope.source.value),
                    static_cast<std::uint32_t>(envelope.destination.value),
                    static_cast<std::uint32_t>(envelope.tag),
                    first,
                    second,
                    static_cast<std::uint32_t>(part) | flags,
                    envelope.context};
    return message;
}

void ProcessModel::send_part(Part part, const Envelope& envelope, std::uint32_t first, std::uint32_t second,
                             std::int64_t now_ps, std::uint32_t flags) {
    const PacketMessage message = message_of(part, envelope, first, second, flags);
    if (part == Part::kEager || part == Part::kData) return hand_over(message, envelope.source, now_ps);
    engine_.inject(message, now_ps);
}

void ProcessModel::message_injected(const PacketMessage& part_of, std::int64_t now_ps) {
    PacketMessage message = part_of;
    const auto& [source, destination, tag, first, request, part, context] = message.note;
    if ((part & kSenderWaits) == 0) return;
    const RankId id(static_cast<std::int32_t>(source));
    if (!take_stripe(shared_of(rank_at(id)).leaving, message)) return;
    const RankId partner(static_cast<std::int32_t>(destination));
    complete(id, request, {true, partner, static_cast<std::int32_t>(tag), message.bytes}, now_ps);
    resume_if_satisfied(id, now_ps);
}

void ProcessModel::message_delivered(const PacketMessage& part_of, std::int64_t now_ps) {
    PacketMessage message = part_of;
    const auto& [from, to, tag, first, second, flags, context] = message.note;
    const auto part = static_cast<Part>(flags & kPartMask);
    if (part == Part::kEager && (flags & kIsBuffered) != 0) send_taken(message, false, now_ps);
    if (flags >> kStripesShift != 0) {
        const int partition = engine_.partition_of(message.destination);
        if (!take_stripe(shared_[static_cast<std::size_t>(partition)].arriving, message)) return;
    }
    if (part == Part::kAccess) return access_delivered(message, now_ps);
    if (part == Part::kAnswer) return answer_delivered(message, now_ps);
    if (part == Part::kTaken) return taken_delivered(message, now_ps);
    if (part == Part::kStep) return step_delivered(message, now_ps);
    if (part == Part::kAcknowledgement) return acknowledgement_delivered(message, now_ps);
    const RankId source(static_cast<std::int32_t>(from));
    const RankId id(static_cast<std::int32_t>(to));
    if (part == Part::kData) {
        if (options_.sends_one_by_one) send_taken(message, true, now_ps);
        complete(id, first, {false, source, static_cast<std::int32_t>(tag), message.bytes, second}, now_ps);
    } else {
        Envelope& envelope = pool_of(id).add();
        envelope.source = source;
        envelope.destination = id;
        envelope.tag = static_cast<std::int32_t>(tag);
        envelope.context = context;
        envelope.sequence = first;
        envelope.is_eager = part == Part::kEager;
        envelope.bytes = envelope.is_eager ? message.bytes : static_cast<std::int64_t>(message.tag);
        envelope.nic = message.nic;
        envelope.sender = second;
        envelope.send_request = second;
        envelope.stage = Envelope::Stage::kArrived;
        take_in_order(envelope, now_ps);
    }
    resume_if_satisfied(id, now_ps);
}

std::uint32_t ProcessModel::next_number(Rank& rank, RankId destination) {
    const std::size_t before = rank.order.destinations();
    const std::uint32_t number = rank.order.next_to(destination);
    shared_of(rank).pairs += static_cast<std::int64_t>(rank.order.destinations() - before);
    return number;
}

void ProcessModel::take_in_order(Envelope& envelope, std::int64_t now_ps) {
    rank_at(envelope.destination).order.take(envelope, [&](Envelope& next) { match(next, now_ps); });
}

std::int64_t ProcessModel::numbered_pairs() const {
    std::int64_t pairs = 0;
    for (const Shared& shared : shared_) pairs += shared.pairs;
    return pairs;
}

/// Called between two lookahead windows, when nothing runs, because only then can both ends of a pair be read. No
/// message is in flight between two ranks if the receiver has accepted all messages sent. No result depends on when
/// pairs are forgotten. The cost is at most proportional to the number of sends since pairs were last forgotten.
void ProcessModel::forget_pairs() {
    if (numbered_pairs() <= most_pairs_) return;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        Rank& rank = ranks_[r];
        const std::size_t before = rank.order.destinations();
        rank.order.forget_sent(
            [&](RankId to, std::uint32_t sent) { return rank_at(to).order.has_received(RankId(r), sent); });
        shared_of(rank).pairs -= static_cast<std::int64_t>(before - rank.order.destinations());
    }
    for (Rank& rank : ranks_) rank.order.forget_received();
    most_pairs_ = kPairsOfRank * rank_count() + 2 * numbered_pairs();
}

std::size_t ProcessModel::memory_bytes() const {
    std::size_t bytes = ranks_.capacity() * sizeof(Rank) + ranks_of_nodes_.capacity() * sizeof(RankId) +
                        first_of_node_.capacity() * sizeof(std::uint32_t);
    for (const Shared& shared : shared_) {
        bytes += sizeof(Shared) + shared.envelopes.size() * sizeof(Envelope) + shared.arriving.memory_bytes() +
                 shared.leaving.memory_bytes();
    }
    for (const Rank& rank : ranks_)
        bytes += rank.order.memory_bytes() + rank.matching.memory_bytes() + rank.arrivals.memory_bytes() +
                 (rank.send_queue != nullptr ? sizeof(SendQueue) : 0);
    return bytes;
}

void ProcessModel::match(Envelope& envelope, std::int64_t now_ps) {
    const RankId id = envelope.destination;
    const auto receive = rank_at(id).matching.arrive(envelope);
    if (!receive) {
        if (options_.sends_one_by_one && !envelope.is_eager) {
            send_part(Part::kAcknowledgement, envelope, envelope.sequence, envelope.sender, now_ps, kIsHeld);
        }
        program_->arrived(id);
        return;
    }
    if (envelope.is_eager) {
        complete(id, receive->request, {false, envelope.source, envelope.tag, envelope.bytes, envelope.send_request},
                 now_ps);
        pool_of(id).give_back(envelope);
        return;
    }
    envelope.receive_request = receive->request;
    envelope.stage = Envelope::Stage::kMatched;
    answer(id, envelope, now_ps);
}

/// Returns false if the message has already arrived and has to be copied.
bool ProcessModel::start_receive(RankId id, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    ++rank.open_requests;
    const Call& call = rank.call;
    Envelope* envelope = rank.matching.post({.source = call.partner,
                                             .tag = call.tag,
                                             .context = call.context,
                                             .request = call.request,
                                             .bytes = call.amount});
    if (envelope == nullptr) return true;
    if (envelope->is_eager) {
        rank.call.partner = envelope->source;
        rank.call.tag = envelope->tag;
        rank.call.amount = envelope->bytes;
        rank.copied_send = envelope->send_request;
        pool_of(id).give_back(*envelope);
        const std::int64_t time_ps = copy_ps(rank.call.amount, options_.memory_bandwidth_bytes_per_s);
        if (!spend(rank, State::kCopying, time_ps, now_ps)) return false;
        end_copied_receive(id, now_ps);
        return true;
    }
    envelope->receive_request = rank.call.request;
    envelope->stage = Envelope::Stage::kMatched;
    answer(id, *envelope, now_ps);
    return true;
}

void ProcessModel::end_copied_receive(RankId id, std::int64_t now_ps) {
    const Rank& rank = rank_at(id);
    const Call& call = rank.call;
    complete(id, call.request, {false, call.partner, call.tag, call.amount, rank.copied_send}, now_ps);
}

void ProcessModel::reserve_unexpected(RankId id, const PostedReceive& wanted, std::int32_t reservation) {
    Envelope& message = *rank_at(id).matching.find(wanted);
    message.context = Call::kReservedContext;
    message.tag = reservation;
}

bool ProcessModel::cancel_receive(RankId id, std::uint32_t request) {
    if (!rank_at(id).matching.withdraw(request)) return false;
    --rank_at(id).open_requests;
    return true;
}

void ProcessModel::answer(RankId id, Envelope& envelope, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    if (options_.progress == Progress::kCalls && rank.state == State::kComputing) return defer(rank, envelope);
    if (envelope.stage == Envelope::Stage::kMatched) {
        send_part(Part::kAcknowledgement, envelope, envelope.receive_request, envelope.sender, now_ps);
    } else if (envelope.stage == Envelope::Stage::kAsked) {
        send_part(Part::kStep, envelope, 0, envelope.sender, now_ps, kIsBack);
    } else if (envelope.round_trips_left > 0) {
        --envelope.round_trips_left;
        return send_part(Part::kStep, envelope, 0, envelope.index, now_ps);
    } else {
        send_part(Part::kData, envelope, envelope.receive_request, envelope.send_request, now_ps,
                  options_.sends_one_by_one ? 0 : kSenderWaits);
    }
    pool_of(id).give_back(envelope);
}

/// Defers the envelope until the rank's next call.
void ProcessModel::defer(Rank& rank, Envelope& envelope) {
    envelope.next = nullptr;
    (rank.last_deferred != nullptr ? rank.last_deferred->next : rank.first_deferred) = &envelope;
    rank.last_deferred = &envelope;
}

void ProcessModel::answer_deferred(RankId id, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    Envelope* at = std::exchange(rank.first_deferred, nullptr);
    rank.last_deferred = nullptr;
    while (at != nullptr) {
        Envelope& envelope = *at;
        at = std::exchange(envelope.next, nullptr);
        if (envelope.stage == Envelope::Stage::kAccess) {
            perform_deferred(envelope, now_ps);
        } else {
            answer(id, envelope, now_ps);
        }
    }
    if (rank.send_queue != nullptr && std::exchange(rank.send_queue->is_put_off, false)) push_sends(id, now_ps);
}

void ProcessModel::complete(RankId id, std::uint32_t request, const CompletedRequest& completion, std::int64_t now_ps) {
    --rank_at(id).open_requests;
    program_->completed(id, request, completion, now_ps);
}

}  // namespace haichi
