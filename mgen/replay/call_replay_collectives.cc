// The collective operations of a replay.
#include <algorithm>

#include "base/errors.h"
#include "collectives/meeting.h"
#include "commlog/log/logged_collective.h"
#include "commlog/log/logged_events.h"
#include "mgen/replay/call_replay_rank.h"

namespace haichi {

namespace {

/// Returns -1 if the rank is not a member. O(1) in MPI_COMM_WORLD.
std::int32_t place_in(const std::vector<std::int32_t>& members, std::int32_t rank) {
    if (rank < 0) return -1;
    if (static_cast<std::size_t>(rank) < members.size() && members[static_cast<std::size_t>(rank)] == rank) return rank;
    const auto at = std::ranges::find(members, rank);
    return at == members.end() ? -1 : static_cast<std::int32_t>(at - members.begin());
}

collectives::Steps other_steps(collectives::Exchange& exchange, OtherDetail detail) {
    using namespace collectives;
    if (detail == OtherDetail::kSplits) return meet_twice(exchange, kGatherChoices, kAgreeOnContext);
    return meet_all(exchange, detail == OtherDetail::kAgrees ? kAgreeOnContext : Meeting{});
}

}  // namespace

CallReplay::Task::Task(Rank& rank, const Setup& setup, const collectives::SizedCall& call)
    : Exchange({.rank = setup.own, .size = static_cast<int>(setup.members->size())}, /*moves_data=*/false),
      rank_(rank),
      setup_(setup),
      arguments_(call, size()) {}

void CallReplay::Task::begin_send(const collectives::Buffer& buffer, int to, Message message) {
    rank_.queue.push_back(Call::send(partner(to), buffer.bytes(), setup_.tag, {}, request_of(message))
                              .in(context_of(setup_.communicator, true)));
}

void CallReplay::Task::begin_receive(const collectives::Buffer& buffer, int from, Message message) {
    rank_.queue.push_back(Call::receive(partner(from), buffer.bytes(), setup_.tag, request_of(message))
                              .in(context_of(setup_.communicator, true)));
}

std::uint32_t CallReplay::Task::request_of(Message message) {
    last_message_ = message;
    if (open_messages() > kMessageBits || setup_.slot > kMostSlot) {
        throw UnsupportedError("rank " + std::to_string((*setup_.members)[static_cast<std::size_t>(setup_.own)]) +
                               " has more than 65,535 messages of a collective, or 32,767 collectives, in progress");
    }
    return kTaskRequest | setup_.slot << 16 | (message & kMessageBits);
}

bool CallReplay::Task::completed_request(std::uint32_t request) {
    completed(last_message_ - ((last_message_ - request) & kMessageBits));
    if (is_ready || !may_go_on()) return false;
    return is_ready = true;
}

CallReplay::OwnCommunicator& CallReplay::own_communicator(RankId id, Rank& rank, std::uint32_t communicator) const {
    const auto known =
        std::ranges::find(rank.communicators, communicator, &std::pair<std::uint32_t, OwnCommunicator>::first);
    if (known != rank.communicators.end()) return known->second;
    const std::int32_t own = place_in(job_->communicators[communicator].members, id.value);
    if (own < 0) {
        throw InputError("rank " + std::to_string(id.value) +
                         " takes part in a collective of a communicator that it is not in");
    }
    return rank.communicators.emplace_back(communicator, OwnCommunicator{.own = own}).second;
}

std::optional<Call> CallReplay::begin_collective(RankId id, Rank& rank) {
    const LoggedEvent& event = *rank.call.event;
    const bool is_blocking = (event.key.flags & kBlocking) != 0;
    const std::uint32_t communicator = communicator_of(job_->ranks[id.index()], event.key.communicator);
    const auto operation = static_cast<CollectiveOperation>(event.key.operation);
    const CommunicatorUse& use = communicators_[communicator];
    // For other operations, the tag states which information the members exchange.
    const bool is_local =
        operation == CollectiveOperation::kOther && event.key.tag == static_cast<std::int32_t>(OtherDetail::kTellsNone);
    const bool is_known = operation == CollectiveOperation::kOther && event.key.tag != 0;
    const bool is_left_out = !use.is_whole || operation == CollectiveOperation::kNeighbor;
    const bool is_alone = job_->communicators[communicator].members.size() == 1;
    if (!is_blocking) rank.posts.post(!is_left_out && !is_alone && !is_local);
    if (is_left_out) {
        ++(operation == CollectiveOperation::kNeighbor ? rank.gaps.neighborhood_collectives
                                                       : rank.gaps.other_collectives);
        return std::nullopt;
    }
    if (is_alone || is_local) return std::nullopt;
    if (is_blocking && is_barrier(operation) && !is_known && use.group >= 0) return Call::barrier(use.group);
    note_mean_size(rank);
    start_task(id, rank, communicator);
    return std::nullopt;
}

void CallReplay::start_task(RankId id, Rank& rank, std::uint32_t communicator) {
    const LoggedEvent& event = *rank.call.event;
    const auto operation = static_cast<CollectiveOperation>(event.key.operation);
    const std::vector<std::int32_t>& members = job_->communicators[communicator].members;
    OwnCommunicator& own = own_communicator(id, rank, communicator);
    collectives::SizedCall call = sized_call(event, members.size());
    call.root = std::max(place_in(members, event.key.peer), 0);
    call = agreement_->agreed({communicator, operation}, call, static_cast<int>(members.size()));

    auto slot = std::ranges::find_if(rank.tasks, [](const auto& task) { return task == nullptr; });
    if (slot == rank.tasks.end()) slot = rank.tasks.insert(slot, nullptr);
    *slot =
        std::make_unique<Task>(rank,
                               Task::Setup{.communicator = communicator,
                                           .members = &members,
                                           .own = own.own,
                                           .tag = static_cast<std::int32_t>(own.collectives++ & OpenPosts::kLowBits),
                                           .slot = static_cast<std::uint32_t>(slot - rank.tasks.begin()),
                                           .post = rank.call.post},
                               call);
    Task& task = **slot;
    if (operation == CollectiveOperation::kOther) {
        task.begin(other_steps(task, static_cast<OtherDetail>(event.key.tag)));
    } else {
        task.begin(collectives::collective_steps(task, task.arguments(), options_.algorithms));
    }
    if (task.post() == 0) ++rank.awaited;
    ++rank.ready_tasks;
}

void CallReplay::do_ready_steps(Rank& rank) {
    for (std::unique_ptr<Task>& task : rank.tasks) {
        if (task == nullptr || !task->is_ready) continue;
        task->is_ready = false;
        --rank.ready_tasks;
        if (!task->go_on()) continue;
        if (task->post() == 0) {
            --rank.awaited;
        } else {
            end_request(rank, task->post());
        }
        task.reset();
    }
}

}  // namespace haichi
