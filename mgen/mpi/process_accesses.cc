// A rank's accesses to the memory of other ranks.

#include <utility>

#include "mgen/mpi/process.h"
#include "mgen/mpi/world.h"

namespace haichi::mpi {

namespace {

constexpr int kSlotBits = 32;

}  // namespace

Process::AccessNumber Process::begin_access(Call call, std::unique_ptr<RemoteOperation> operation) {
    const AccessNumber number = queue_access(call, std::move(operation));
    rank_->make_many_calls();
    return number;
}

Process::AccessNumber Process::queue_access(Call call, std::unique_ptr<RemoteOperation> operation) {
    if (++access_serial_ == 0) ++access_serial_;  // 0 marks unused entries
    Access access;
    access.operation = std::move(operation);
    access.serial = access_serial_;
    call.request = accesses_.add(std::move(access));
    rank_->queue(call);
    return AccessNumber{access_serial_} << kSlotBits | call.request;
}

bool Process::is_done(AccessNumber access) const {
    const auto slot = static_cast<std::uint32_t>(access);
    const std::vector<Access>& all = accesses_.values();
    return slot >= all.size() || all[slot].serial != static_cast<std::uint32_t>(access >> kSlotBits);
}

void Process::wait_for_access(AccessNumber access) {
    rank_->wait_until([&] { return is_done(access); });
}

void Process::wait_for_accesses() {
    rank_->wait_until([&] { return open_accesses() == 0; });
}

void Process::poll(std::int32_t tag) {
    rank_->queue(Call::poll(tag));
    rank_->spend(0);
}

TargetAnswer Process::accessed(const RemoteAccess& access, std::int64_t now_ps) {
    const Access& begun = world_->process(access.origin).accesses_[access.request];
    return begun.operation ? begun.operation->at_target(access, now_ps) : TargetAnswer::kNow;
}

Request& Process::begin_access_request() {
    Request& request = add_request(Request::Kind::kAccess);
    request.is_active = true;
    return request;
}

void Process::end_accesses() {
    const std::vector<std::uint32_t> ended = std::exchange(ended_accesses_, {});
    for (const std::uint32_t number : ended) {
        const Access access = accesses_.take(number);
        access.operation->at_origin();
    }
}

}  // namespace haichi::mpi
