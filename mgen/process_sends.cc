// Sends one by one, limited buffers, and rendezvous with more than one round trip.

#include <algorithm>
#include <utility>

#include "mgen/process_model.h"

namespace haichi {

/// True if the message occupies the rank's limited send buffers.
bool ProcessModel::is_limited(const Envelope& envelope) {
    return options_.send_buffer_bytes > 0 && envelope.is_eager && envelope.bytes > 0 &&
           rank_at(envelope.source).node != rank_at(envelope.destination).node;
}

/// Appends a send to the queue. A send that is copied to an unlimited buffer completes at once.
void ProcessModel::queue_send(RankId id, Envelope& envelope, bool is_copied, std::int64_t now_ps) {
    envelope.stage = Envelope::Stage::kQueued;
    if (envelope.is_eager) {
        envelope.further_bytes = envelope.bytes;
        envelope.flags = is_copied ? 0 : kSenderWaits;
        envelope.sender = rank_at(id).striped++;
        if (is_copied && !is_limited(envelope)) {
            complete(id, envelope.send_request, {true, envelope.destination, envelope.tag, envelope.bytes}, now_ps);
        }
    }
    rank_at(id).send_queue->add(envelope);
    push_sends(id, now_ps);
}

/// Begins as many queued sends as possible.
void ProcessModel::push_sends(RankId id, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    SendQueue& queue = *rank.send_queue;
    if (options_.progress == Progress::kCalls && rank.state == State::kComputing) {
        queue.is_put_off = true;
        return;
    }
    while (queue.first != nullptr && !queue.is_busy) {
        Envelope& envelope = *queue.first;
        if (envelope.is_eager) {
            if (!push_eager(id, envelope, now_ps)) return;
            queue.drop_first();
            pool_of(id).give_back(envelope);
            continue;
        }
        queue.drop_first();
        queue.is_busy = true;
        if (envelope.stage == Envelope::Stage::kAcknowledged) {
            answer(id, envelope, now_ps);
        } else {
            envelope.stage = Envelope::Stage::kRequested;
            send_part(Part::kRequest, envelope, envelope.sequence, envelope.index, now_ps);
        }
    }
}

/// Hands an eager message over in pieces of one packet. Returns false if the buffers lack space for the rest of the
/// message.
bool ProcessModel::push_eager(RankId id, Envelope& envelope, std::int64_t now_ps) {
    const bool sender_waits = (envelope.flags & kSenderWaits) != 0;
    if (!is_limited(envelope)) {
        send_part(Part::kEager, envelope, envelope.sequence, envelope.send_request, now_ps, envelope.flags);
        return true;
    }
    SendQueue& queue = *rank_at(id).send_queue;
    const std::int64_t packets = engine_.machine().timing.packet_count(envelope.bytes);
    // A message has fewer than 2^24 stripes.
    const std::int64_t piece_bytes =
        engine_.machine().timing.options().packet_payload_bytes * ((packets >> kMostPiecesShift) + 1);
    const std::int64_t pieces = (envelope.bytes + piece_bytes - 1) / piece_bytes;
    const bool is_striped = options_.trunk > 1 && envelope.bytes >= options_.trunk_from_bytes;
    while (envelope.further_bytes > 0) {
        const std::int64_t bytes = std::min(envelope.further_bytes, piece_bytes);
        if (!queue.has_room(bytes, options_.send_buffer_bytes)) return false;
        const std::int64_t number = (envelope.bytes - envelope.further_bytes) / piece_bytes;
        queue.buffered_bytes += bytes;
        envelope.further_bytes -= bytes;
        PacketMessage piece =
            message_of(Part::kEager, envelope, envelope.sequence, envelope.send_request, envelope.flags | kIsBuffered);
        piece.bytes = bytes;
        if (is_striped) piece.nic = static_cast<std::int32_t>((piece.nic + number % options_.trunk) % options_.nics);
        if (pieces > 1) mark_stripe(piece, id, envelope.sender, pieces);
        engine_.inject(piece, now_ps);
    }
    if (!sender_waits) {
        complete(id, envelope.send_request, {true, envelope.destination, envelope.tag, envelope.bytes}, now_ps);
    }
    return true;
}

/// Notifies the sender that a piece from its buffers, or all data of a rendezvous, has arrived.
void ProcessModel::send_taken(PacketMessage message, bool is_rendezvous, std::int64_t now_ps) {
    std::swap(message.source, message.destination);
    message.tag = static_cast<std::uint64_t>(message.bytes);
    message.bytes = 0;
    message.gap_ps = 0;
    message.note[kFirstOfNote] = is_rendezvous ? 1 : 0;
    message.note[kFlagsOfNote] = static_cast<std::uint32_t>(Part::kTaken);
    engine_.inject(message, now_ps);
}

void ProcessModel::taken_delivered(const PacketMessage& message, std::int64_t now_ps) {
    const auto& [source, destination, tag, is_rendezvous, request, part, context] = message.note;
    const RankId id(static_cast<std::int32_t>(source));
    const auto bytes = static_cast<std::int64_t>(message.tag);
    SendQueue& queue = *rank_at(id).send_queue;
    if (is_rendezvous != 0) {
        queue.is_busy = false;
        const RankId partner(static_cast<std::int32_t>(destination));
        complete(id, request, {true, partner, static_cast<std::int32_t>(tag), bytes}, now_ps);
    } else {
        queue.buffered_bytes -= bytes;
    }
    push_sends(id, now_ps);
    resume_if_satisfied(id, now_ps);
}

/// If sends go one by one, an acknowledgement may instead report that no receive is posted yet. Other sends then go
/// first.
void ProcessModel::acknowledgement_delivered(const PacketMessage& message, std::int64_t now_ps) {
    const auto& [source, destination, tag, first, index, flags, context] = message.note;
    const RankId id(static_cast<std::int32_t>(source));
    Envelope& envelope = pool_of(id)[index];
    if ((flags & kIsHeld) != 0) {
        // The notice is obsolete if the real acknowledgement has overtaken it.
        if (envelope.stage != Envelope::Stage::kRequested || envelope.sequence != first || envelope.source != id ||
            envelope.destination.value != static_cast<std::int32_t>(destination)) {
            return;
        }
        envelope.stage = Envelope::Stage::kHeld;
        rank_at(id).send_queue->is_busy = false;
        push_sends(id, now_ps);
        resume_if_satisfied(id, now_ps);
        return;
    }
    const bool was_held = envelope.stage == Envelope::Stage::kHeld;
    envelope.receive_request = first;
    envelope.stage = Envelope::Stage::kAcknowledged;
    if (!was_held) return answer(id, envelope, now_ps);
    rank_at(id).send_queue->add_next(envelope);
    push_sends(id, now_ps);
    resume_if_satisfied(id, now_ps);
}

/// Handles a further round trip of a rendezvous.
void ProcessModel::step_delivered(const PacketMessage& message, std::int64_t now_ps) {
    const auto& [source, destination, tag, first, index, flags, context] = message.note;
    const RankId from(static_cast<std::int32_t>(source));
    if ((flags & kIsBack) != 0) return answer(from, pool_of(from)[index], now_ps);
    const RankId id(static_cast<std::int32_t>(destination));
    Envelope& envelope = pool_of(id).add();
    envelope.source = from;
    envelope.destination = id;
    envelope.nic = message.nic;
    envelope.sender = index;
    envelope.stage = Envelope::Stage::kAsked;
    answer(id, envelope, now_ps);
}

}  // namespace haichi
