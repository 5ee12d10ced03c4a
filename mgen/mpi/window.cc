#include "mgen/mpi/window.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "mgen/mpi/communicators.h"
#include "mgen/mpi/window_operation.h"
#include "mgen/mpi/world.h"

namespace haichi::mpi {

namespace {

/// Size in bytes of the memory description that members exchange: address, size and unit.
constexpr std::int64_t kMemoryBytes = 20;

// Tags of the empty messages that synchronise origins and targets.
constexpr int kPostTag = 0;
constexpr int kCompleteTag = 1;

[[noreturn]] void raise_sync(const std::string& message) { throw CallError(ErrorClass::kRmaSync, message); }

/// Allocates with calloc, so that untouched pages take no memory.
std::unique_ptr<std::byte, WindowShare::Free> zeros(std::int64_t bytes) {
    void* memory = std::calloc(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)), 1);
    if (memory == nullptr) {
        throw CallError(ErrorClass::kOther, "not enough memory for a window of " + std::to_string(bytes) + " bytes");
    }
    return std::unique_ptr<std::byte, WindowShare::Free>(static_cast<std::byte*>(memory));
}

std::shared_ptr<WindowShare> agree_on_share(Process& process, const Membership& own, WindowFlavor flavor) {
    const int size = own.size();
    auto share = process.world().agree<WindowShare>({own.communicator->context, 0, 0}, size);
    if (share->parts.empty()) {
        share->flavor = flavor;
        share->parts.resize(static_cast<std::size_t>(size));
    }
    return share;
}

}  // namespace

// ---- Windows --------------------------------------------------------------------------------------------------------

Window::Window(Process& process, MembershipRef membership, std::shared_ptr<WindowShare> share)
    : process_(&process), membership_(std::move(membership)), share_(std::move(share)) {}

Window::~Window() = default;

std::unique_ptr<Window> Window::create(Process& process, const MembershipRef& of, WindowFlavor flavor,
                                       const Memory& memory) {
    MembershipRef own = duplicate(process, of);
    auto share = agree_on_share(process, *own, flavor);
    WindowPart& part = share->parts[static_cast<std::size_t>(own->rank)];
    part.base = memory.base;
    part.bytes = memory.bytes;
    part.displacement_unit = memory.displacement_unit;
    process.meet(own, {.bytes = kMemoryBytes, .gathers = true});
    return std::make_unique<Window>(process, std::move(own), std::move(share));
}

std::unique_ptr<Window> Window::allocate(Process& process, const MembershipRef& of, WindowFlavor flavor, Memory& memory,
                                         bool is_contiguous) {
    if (flavor == WindowFlavor::kAllocated) {
        auto own = zeros(memory.bytes);
        memory.base = own.get();
        auto window = create(process, of, flavor, memory);
        window->own_memory_ = std::move(own);
        return window;
    }
    auto window = create(process, of, flavor, memory);
    WindowShare& share = *window->share_;
    // All members are on one node, so the first member to arrive allocates the memory for all.
    if (!share.memory) {
        const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
        const auto aligned = [&](std::int64_t place) { return (place + page_bytes - 1) / page_bytes * page_bytes; };
        std::int64_t bytes = page_bytes;
        for (const WindowPart& part : share.parts) bytes += is_contiguous ? part.bytes : aligned(part.bytes);
        share.memory = zeros(bytes);
        auto at = aligned(reinterpret_cast<std::int64_t>(share.memory.get()));
        for (WindowPart& part : share.parts) {
            part.base = reinterpret_cast<std::byte*>(at);
            at += is_contiguous ? part.bytes : aligned(part.bytes);
        }
    }
    memory.base = window->own_part().base;
    return window;
}

void Window::end() {
    if (epoch_ != Epoch::kNone && epoch_ != Epoch::kFence) raise_sync("the window is freed while it is in use");
    if (is_exposed_) raise_sync("the window is freed while others may access it");
    wait_for_all();
    process_->rank().wait_until([&] { return releases_ == 0; }, host::WaitCost::kNone);
    process_->meet(membership_, {});
}

const WindowPart* Window::first_part() const {
    const auto found = std::ranges::find_if(share_->parts, [](const WindowPart& part) { return part.bytes > 0; });
    return found != share_->parts.end() ? &*found : nullptr;
}

void Window::attach(std::byte* base, std::int64_t bytes) {
    if (flavor() != WindowFlavor::kDynamic) {
        throw CallError(ErrorClass::kRmaFlavor, "memory can be attached only to dynamic windows");
    }
    share_->parts[static_cast<std::size_t>(membership_->rank)].attached.push_back({base, bytes});
}

void Window::detach(const std::byte* base) {
    if (flavor() != WindowFlavor::kDynamic) {
        throw CallError(ErrorClass::kRmaFlavor, "memory can be detached only from dynamic windows");
    }
    std::vector<WindowPart::Attached>& attached = share_->parts[static_cast<std::size_t>(membership_->rank)].attached;
    const auto found = std::ranges::find(attached, base, &WindowPart::Attached::base);
    if (found == attached.end()) {
        throw CallError(ErrorClass::kRmaAttach, "no attached memory begins at this address");
    }
    attached.erase(found);
}

// ---- Accesses -------------------------------------------------------------------------------------------------------

void Window::check_target(int target) const {
    if (target >= 0 && target < membership_->size()) return;
    throw CallError(ErrorClass::kRank, "invalid target: " + std::to_string(target) + " (the window has " +
                                           std::to_string(membership_->size()) + " ranks)");
}

void Window::access(const WindowAccess& access, Request* request) {
    check_target(access.target);
    if (epoch_ == Epoch::kNone) raise_sync("an access requires MPI_Win_fence, MPI_Win_start or MPI_Win_lock");
    if (epoch_ == Epoch::kFence) fence_is_used_ = true;
    if (epoch_ == Epoch::kStart && std::ranges::find(access_group_, access.target) == access_group_.end()) {
        raise_sync("rank " + std::to_string(access.target) + " is not in the group of MPI_Win_start");
    }
    Target& target = targets_[access.target];
    if (epoch_ == Epoch::kLock && target.lock == Lock::kNone && target.is_checked) {
        raise_sync("rank " + std::to_string(access.target) + " is not locked");
    }
    if (epoch_ == Epoch::kLockAll && all_are_checked_ && target.lock == Lock::kNone) {
        ask_for_lock(access.target, target, LockKind::kShared);
    }
    auto operation = std::make_unique<Operation>(*this, access, request, access.is_update() ? target.updates++ : 0);
    if (operation->lacks_payload()) process_->note_without_payload();
    ++target.open;
    ++open_;
    if (access.is_read()) {
        ++target.open_reads;
        ++open_reads_;
    }
    if (target.lock == Lock::kAsked) {
        target.waiting.push_back(std::move(operation));
    } else {
        begin(std::move(operation));
        process_->rank().make_many_calls();
    }
}

void Window::begin(std::unique_ptr<Operation> operation) {
    const Call call = operation->call();
    process_->queue_access(call, std::move(operation));
}

void Window::ended(const Operation& operation) {
    Target& target = targets_[operation.access().target];
    --target.open;
    --open_;
    if (operation.access().is_read()) {
        --target.open_reads;
        --open_reads_;
    }
    if (operation.request() != nullptr) process_->complete_access(*operation.request());
}

void Window::wait_for(const Target& target) {
    process_->rank().wait_until([&] { return target.open == 0; });
}

void Window::wait_for_all() {
    process_->rank().wait_until([&] { return open_ == 0; });
}

// ---- Active synchronisation -----------------------------------------------------------------------------------------

void Window::check_epoch_may_begin(const char* what) const {
    if (epoch_ == Epoch::kNone || (epoch_ == Epoch::kFence && !fence_is_used_)) return;
    raise_sync(std::string(what) + " within another access epoch");
}

void Window::fence(const FenceAssertions& assertions) {
    if (epoch_ != Epoch::kNone && epoch_ != Epoch::kFence) raise_sync("MPI_Win_fence within another access epoch");
    if (assertions.no_precede && fence_is_used_) {
        raise_sync("MPI_Win_fence with MPI_MODE_NOPRECEDE after accesses");
    }
    wait_for_all();
    process_->meet(membership_, {});
    epoch_ = assertions.no_succeed ? Epoch::kNone : Epoch::kFence;
    fence_is_used_ = false;
}

void Window::send_empty(int to, int tag) {
    Request& request = process_->begin_send({.buffer = {nullptr, 0, Datatype::basic(BasicType::kByte).get()},
                                             .partner = to,
                                             .tag = tag,
                                             .membership = membership_});
    process_->release(request);
}

std::vector<int> Window::members_of(const Group& group) const {
    std::vector<int> members;
    for (int rank = 0; rank < group.size(); ++rank) {
        const std::optional<int> member = group.translate(rank, *membership_->communicator->group);
        if (!member) throw CallError(ErrorClass::kGroup, "the group has a rank that is not in the window");
        members.push_back(*member);
    }
    return members;
}

void Window::post(const GroupRef& origins, bool no_check) {
    if (is_exposed_) raise_sync("MPI_Win_post after another MPI_Win_post without MPI_Win_wait");
    const std::vector<int> members = members_of(*origins);
    is_exposed_ = true;
    for (const int origin : members) {
        completions_.push_back(
            &process_->begin_receive({.buffer = {nullptr, 0, Datatype::basic(BasicType::kByte).get()},
                                      .partner = origin,
                                      .tag = kCompleteTag,
                                      .membership = membership_}));
    }
    if (no_check) return;
    for (const int origin : members) send_empty(origin, kPostTag);
}

void Window::start(const GroupRef& targets, bool no_check) {
    check_epoch_may_begin("MPI_Win_start");
    access_group_ = members_of(*targets);
    epoch_ = Epoch::kStart;
    if (no_check) return;
    std::vector<Request*> posts;
    for (const int target : access_group_) {
        posts.push_back(&process_->begin_receive({.buffer = {nullptr, 0, Datatype::basic(BasicType::kByte).get()},
                                                  .partner = target,
                                                  .tag = kPostTag,
                                                  .membership = membership_}));
    }
    process_->wait_all(posts);
    for (Request* post : posts) process_->release(*post);
}

void Window::complete() {
    if (epoch_ != Epoch::kStart) raise_sync("MPI_Win_complete without MPI_Win_start");
    wait_for_all();
    for (const int target : access_group_) send_empty(target, kCompleteTag);
    access_group_.clear();
    epoch_ = Epoch::kNone;
}

void Window::end_exposure() {
    for (Request* completion : completions_) process_->release(*completion);
    completions_.clear();
    is_exposed_ = false;
}

void Window::wait() {
    if (!is_exposed_) raise_sync("MPI_Win_wait without MPI_Win_post");
    process_->wait_all(completions_);
    end_exposure();
}

bool Window::test() {
    if (!is_exposed_) raise_sync("MPI_Win_test without MPI_Win_post");
    if (!process_->test_all(completions_)) return false;
    end_exposure();
    return true;
}

// ---- Passive synchronisation ----------------------------------------------------------------------------------------

void Window::ask_for_lock(int target, Target& state, LockKind kind) {
    state.lock = Lock::kAsked;
    state.kind = kind;
    process_->queue_access(Call::atomic(membership_->communicator->group->world_rank(target), 0, 0),
                           std::make_unique<LockOperation>(*this, target, kind, true));
}

void Window::release_lock(int target, Target& state) {
    if (state.lock == Lock::kHeld) {
        ++releases_;
        process_->queue_access(Call::atomic(membership_->communicator->group->world_rank(target), 0, 0),
                               std::make_unique<LockOperation>(*this, target, state.kind, false));
    }
    state.lock = Lock::kNone;
    state.is_checked = true;
}

void Window::granted(int target) {
    Target& state = targets_[target];
    state.lock = Lock::kHeld;
    for (auto& operation : std::exchange(state.waiting, {})) begin(std::move(operation));
}

Window::Target& Window::locked(int target) {
    check_target(target);
    Target& state = targets_[target];
    const bool is_locked = epoch_ == Epoch::kLockAll || state.lock != Lock::kNone || !state.is_checked;
    if ((epoch_ != Epoch::kLock && epoch_ != Epoch::kLockAll) || !is_locked) {
        raise_sync("rank " + std::to_string(target) + " is not locked");
    }
    return state;
}

void Window::wait_for_lock(const Target& state) {
    process_->rank().wait_until([&] { return state.lock != Lock::kAsked; }, host::WaitCost::kNone);
}

void Window::lock(LockKind kind, int target, bool no_check) {
    if (epoch_ != Epoch::kLock) check_epoch_may_begin("MPI_Win_lock");
    check_target(target);
    Target& state = targets_[target];
    if (state.lock != Lock::kNone || !state.is_checked) {
        raise_sync("rank " + std::to_string(target) + " is already locked");
    }
    epoch_ = Epoch::kLock;
    ++locks_;
    if (no_check) {
        state.is_checked = false;
        return;
    }
    ask_for_lock(target, state, kind);
    process_->rank().make_many_calls();
    // If the rank accesses the memory directly, the lock must be held when the call returns.
    if (target == membership_->rank || flavor() == WindowFlavor::kShared) wait_for_lock(state);
}

void Window::unlock(int target) {
    if (epoch_ != Epoch::kLock) raise_sync("MPI_Win_unlock without MPI_Win_lock");
    Target& state = locked(target);
    wait_for_lock(state);
    wait_for(state);
    release_lock(target, state);
    process_->rank().make_many_calls();
    if (--locks_ == 0) epoch_ = Epoch::kNone;
}

void Window::lock_all(bool no_check) {
    check_epoch_may_begin("MPI_Win_lock_all");
    epoch_ = Epoch::kLockAll;
    all_are_checked_ = !no_check;
    if (no_check) return;
    // Own and shared memory must be locked when the call returns, as in lock(). Other targets are locked at their first
    // access.
    const bool is_shared = flavor() == WindowFlavor::kShared;
    for (int target = 0; target < membership_->size(); ++target) {
        if (target != membership_->rank && !is_shared) continue;
        ask_for_lock(target, targets_[target], LockKind::kShared);
    }
    process_->rank().wait_until(
        [&] { return std::ranges::none_of(targets_, [](const auto& of) { return of.second.lock == Lock::kAsked; }); },
        host::WaitCost::kNone);
}

void Window::unlock_all() {
    if (epoch_ != Epoch::kLockAll) raise_sync("MPI_Win_unlock_all without MPI_Win_lock_all");
    wait_for_all();
    // Locks are released in the order of ranks, because the order of the hash table is arbitrary.
    std::vector<int> members;
    for (const auto& [member, state] : targets_) members.push_back(member);
    std::ranges::sort(members);
    for (const int member : members) release_lock(member, targets_[member]);
    process_->rank().make_many_calls();
    epoch_ = Epoch::kNone;
}

void Window::flush(int target) { wait_for(locked(target)); }

void Window::flush_local(int target) {
    const Target& state = locked(target);
    // Only reads are pending at the origin, because outgoing data were packed when the access began.
    process_->rank().wait_until([&] { return state.open_reads == 0; });
}

void Window::flush_all() {
    if (epoch_ != Epoch::kLock && epoch_ != Epoch::kLockAll) raise_sync("MPI_Win_flush_all without a lock");
    wait_for_all();
}

void Window::flush_local_all() {
    if (epoch_ != Epoch::kLock && epoch_ != Epoch::kLockAll) raise_sync("MPI_Win_flush_local_all without a lock");
    process_->rank().wait_until([&] { return open_reads_ == 0; });
}

}  // namespace haichi::mpi
