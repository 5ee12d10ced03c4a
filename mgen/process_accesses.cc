// Puts, gets, atomic operations and polls.

#include <string>
#include <utility>

#include "base/errors.h"
#include "mgen/process_model.h"

namespace haichi {

RemoteAccess::Kind ProcessModel::access_kind(Call::Kind kind) {
    if (kind == Call::Kind::kPut) return RemoteAccess::Kind::kPut;
    return kind == Call::Kind::kGet ? RemoteAccess::Kind::kGet : RemoteAccess::Kind::kAtomic;
}

void ProcessModel::start_access(RankId id, std::int64_t now_ps) {
    Rank& rank = rank_at(id);
    const Call& call = rank.call;
    if (call.partner.value < 0 || call.partner.value >= rank_count()) {
        throw OptionError("rank " + std::to_string(id.value) + " accesses the memory of rank " +
                          std::to_string(call.partner.value) + ", but the program has " + std::to_string(rank_count()) +
                          " ranks");
    }
    if (call.answer_bytes < 0)
        throw OptionError("invalid size of an answer: " + std::to_string(call.answer_bytes) + " bytes");
    ++rank.open_requests;
    PacketMessage message;
    message.source = rank.node;
    message.destination = rank_at(call.partner).node;
    message.bytes = call.amount;
    message.tag = static_cast<std::uint64_t>(call.answer_bytes);
    message.gap_ps = call.options.gap_ps;
    message.nic = next_nic(rank, call.options);
    std::uint32_t flags = static_cast<std::uint32_t>(Part::kAccess);
    flags |= static_cast<std::uint32_t>(access_kind(call.kind)) << kAccessKindShift;
    if (call.is_counted) flags |= kIsCounted;
    if (call.is_by_target) flags |= kIsByTarget;
    message.note = {static_cast<std::uint32_t>(id.value),
                    static_cast<std::uint32_t>(call.partner.value),
                    static_cast<std::uint32_t>(call.tag),
                    call.request,
                    0,
                    flags,
                    call.context};
    if (call.kind == Call::Kind::kPut) return hand_over(message, id, now_ps);
    engine_.inject(message, now_ps);
}

void ProcessModel::set_kind(RemoteAccess& access, std::uint32_t flags) {
    access.kind = static_cast<RemoteAccess::Kind>(flags >> kAccessKindShift & kAccessKindMask);
    access.is_counted = (flags & kIsCounted) != 0;
}

/// Decodes an access or its answer.
RemoteAccess ProcessModel::access_of(const PacketMessage& message) {
    const auto& [origin, target, tag, request, unused, flags, context] = message.note;
    const auto part = static_cast<Part>(flags & kPartMask);
    RemoteAccess access;
    set_kind(access, flags);
    access.origin = RankId(static_cast<std::int32_t>(origin));
    access.target = RankId(static_cast<std::int32_t>(target));
    access.tag = static_cast<std::int32_t>(tag);
    access.context = context;
    access.request = request;
    access.bytes = message.bytes;
    access.answer_bytes = static_cast<std::int64_t>(message.tag);
    access.gap_ps = message.gap_ps;
    access.nic = message.nic;
    if (part == Part::kAnswer) std::swap(access.bytes, access.answer_bytes);
    return access;
}

/// Called when all data of the access have arrived at the target's node.
void ProcessModel::access_delivered(const PacketMessage& message, std::int64_t now_ps) {
    const RemoteAccess access = access_of(message);
    Rank& target = rank_at(access.target);
    if ((message.note[kFlagsOfNote] & kIsByTarget) != 0 && target.state == State::kComputing) {
        Envelope& envelope = pool_of(access.target).add();
        envelope.source = access.origin;
        envelope.destination = access.target;
        envelope.tag = access.tag;
        envelope.context = access.context;
        envelope.bytes = access.bytes;
        envelope.further_bytes = access.answer_bytes;
        envelope.gap_ps = message.gap_ps;
        envelope.nic = message.nic;
        envelope.send_request = access.request;
        envelope.flags = message.note[kFlagsOfNote];
        envelope.stage = Envelope::Stage::kAccess;
        return defer(target, envelope);
    }
    perform_access(access, now_ps);
    resume_if_satisfied(access.target, now_ps);
}

/// Performs an access that the target's rank has deferred.
void ProcessModel::perform_deferred(Envelope& envelope, std::int64_t now_ps) {
    RemoteAccess access;
    set_kind(access, envelope.flags);
    access.origin = envelope.source;
    access.target = envelope.destination;
    access.tag = envelope.tag;
    access.context = envelope.context;
    access.request = envelope.send_request;
    access.bytes = envelope.bytes;
    access.answer_bytes = envelope.further_bytes;
    access.gap_ps = envelope.gap_ps;
    access.nic = envelope.nic;
    pool_of(envelope.destination).give_back(envelope);
    perform_access(access, now_ps);
}

/// Performs an access in the target's memory.
void ProcessModel::perform_access(const RemoteAccess& access, std::int64_t now_ps) {
    if (program_->accessed(access, now_ps) == TargetAnswer::kNow) answer_access(access, now_ps);
    if (!access.is_counted) return;
    Rank& target = rank_at(access.target);
    if (target.state == State::kPolling && target.call.tag == access.tag) return advance(access.target, now_ps);
    target.arrivals.add(access.tag);
}

/// Sends the answer from the target's NIC.
void ProcessModel::answer_access(const RemoteAccess& access, std::int64_t now_ps) {
    PacketMessage message;
    message.source = rank_at(access.target).node;
    message.destination = rank_at(access.origin).node;
    message.bytes = access.answer_bytes;
    message.tag = static_cast<std::uint64_t>(access.bytes);
    message.gap_ps = access.gap_ps;
    message.nic = access.nic;
    std::uint32_t flags = static_cast<std::uint32_t>(Part::kAnswer);
    flags |= static_cast<std::uint32_t>(access.kind) << kAccessKindShift;
    if (access.is_counted) flags |= kIsCounted;
    message.note = {static_cast<std::uint32_t>(access.origin.value),
                    static_cast<std::uint32_t>(access.target.value),
                    static_cast<std::uint32_t>(access.tag),
                    access.request,
                    0,
                    flags,
                    access.context};
    if (access.kind == RemoteAccess::Kind::kGet) return hand_over(message, access.target, now_ps);
    engine_.inject(message, now_ps);
}

void ProcessModel::answer_delivered(const PacketMessage& message, std::int64_t now_ps) {
    const RemoteAccess access = access_of(message);
    const std::int64_t bytes = access.kind == RemoteAccess::Kind::kPut ? access.bytes : access.answer_bytes;
    complete(access.origin, access.request,
             {.partner = access.target, .tag = access.tag, .bytes = bytes, .is_access = true}, now_ps);
    resume_if_satisfied(access.origin, now_ps);
}

}  // namespace haichi
