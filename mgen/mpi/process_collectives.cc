#include <algorithm>
#include <utility>

#include "mgen/mpi/process.h"
#include "mgen/mpi/world.h"

namespace haichi::mpi {

void Process::start_collective(Request& request) {
    request.is_active = true;
    request.is_complete = false;
    request.status = {};
    const std::function<Steps(Exchange&)> begin = request.begin_steps;
    Membership& membership = *request.message.membership;
    const Communicator& communicator = *membership.communicator;
    Collective::Setup setup{
        .process = this,
        .membership = request.message.membership,
        .partners = &communicator.partners(),
        .members = {membership.rank, membership.size(), communicator.is_inter() ? communicator.remote->size() : 0},
        .tag = request.message.tag,
        .needs_memory = request.steps_need_memory,
        .request = &request};
    if (request.meets) {
        setup.partners = request.meets.get();
        setup.members = {request.meets->rank_of(id()).value(), request.meets->size(), 0};
        setup.moves_payload = false;
    }
    request.collective = std::make_unique<Collective>(std::move(setup));
    request.collective->begin(begin(*request.collective));
    go_on(*request.collective);
}

void Process::go_on(Collective& collective) {
    if (collective.go_on() && collective.request() != nullptr) end_request(*collective.request());
}

void Process::run_collective(const MembershipRef& membership, BeginSteps steps) {
    Request& request = begin_collective(membership, std::move(steps));
    if (!request.is_complete) await(request, host::WaitCost::kNone);
    release(request);
}

Request& Process::prepare_collective(const MembershipRef& membership, BeginSteps steps) {
    Request& request = add_request(Request::Kind::kCollective);
    request.message.membership = membership;
    // Members prepare persistent collectives in the same order, but may start them in any order.
    request.message.tag = membership->next_tag();
    request.begin_steps = std::move(steps.begin);
    request.steps_need_memory = steps.need_memory;
    request.is_persistent = true;
    return request;
}

Request& Process::begin_collective(const MembershipRef& membership, BeginSteps steps) {
    Request& request = prepare_collective(membership, std::move(steps));
    request.is_persistent = false;
    start(request);
    return request;
}

void Process::send_for(const CollectiveMessage& message, const Buffer& buffer) {
    const std::int64_t bytes = buffer.bytes();
    // A message that only synchronizes carries no data.
    const Buffer moved = message.moves_payload ? buffer : Buffer{nullptr, 0, buffer.type};
    const std::uint32_t number = pack(moved, moved.bytes(), message.partner, message.tag);
    sends_[number].collective = message.collective;
    sends_[number].message = message.message;
    rank_->queue(Call::send(message.partner, bytes, message.tag, {}, number).in(message.context));
}

void Process::receive_for(const CollectiveMessage& message, const Buffer& buffer) {
    Receiving receiving;
    receiving.buffer = buffer;
    receiving.collective = message.collective;
    receiving.message = message.message;
    receiving.needs_memory = message.collective->needs_memory();
    const std::uint32_t number = receives_.add(std::move(receiving));
    rank_->queue(Call::receive(message.partner, buffer.bytes(), message.tag, number).in(message.context));
}

void Process::meet_group(const MembershipRef& membership, const Group& group, std::int32_t tag, Meeting meeting) {
    Collective collective({.process = this,
                           .membership = membership,
                           .partners = &group,
                           .members = {group.rank_of(id()).value(), group.size(), 0},
                           .tag = tag,
                           .moves_payload = false,
                           .needs_memory = false});
    collective.begin(collectives::meet_all(collective, meeting));
    collective.go_on();
    if (collective.is_done()) return;
    rank_->wait_until([&] { return collective.is_done(); }, host::WaitCost::kNone);
}

void Process::meet(const MembershipRef& membership, Meeting meeting) {
    meet_group(membership, *membership->communicator->group, membership->next_tag(), meeting);
}

Request& Process::begin_meeting(const MembershipRef& membership, const GroupRef& group, Meeting meeting) {
    Request& request = prepare_collective(
        membership, {.begin = [meeting](Exchange& exchange) { return collectives::meet_all(exchange, meeting); },
                     .need_memory = false});
    request.is_persistent = false;
    request.meets = group;
    start(request);
    return request;
}

}  // namespace haichi::mpi
