#include "mgen/mpi/window_operation.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "mgen/mpi/world.h"

namespace haichi::mpi {

namespace {

std::int64_t packed_bytes(const DatatypeRef& type, std::int64_t count) {
    return type == nullptr ? 0 : type->packed_bytes(count);
}

const char* name(WindowAccess::Kind kind) {
    switch (kind) {
        case WindowAccess::Kind::kPut:
            return "a put";
        case WindowAccess::Kind::kGet:
            return "a get";
        case WindowAccess::Kind::kAccumulate:
        case WindowAccess::Kind::kGetAccumulate:
            return "an accumulate";
        case WindowAccess::Kind::kCompareAndSwap:
            return "a compare-and-swap";
    }
    return "";
}

}  // namespace

std::int64_t WindowAccess::bytes_there() const {
    switch (kind) {
        case Kind::kGet:
            return 0;
        case Kind::kCompareAndSwap:
            return 2 * origin.bytes();
        default:
            return origin.bytes();
    }
}

std::int64_t WindowAccess::bytes_back() const {
    if (kind == Kind::kGet) return packed_bytes(target_type, target_count);
    return is_read() ? result.bytes() : 0;
}

Window::Operation::Operation(Window& window, const WindowAccess& access, Request* request, std::uint32_t update)
    : window_(&window),
      share_(window.share_),
      access_(access),
      request_(request),
      update_(update),
      moves_payload_(window.process_->world().moves_payload()) {
    const Buffer& from = access_.origin;
    if (!moves_payload_ || access_.bytes_there() == 0) return;
    there_ = Payload(access_.bytes_there());
    window.process_->world().check_payload_memory();
    from.type->pack(from.data, from.count, there_.data());
    if (access_.kind == WindowAccess::Kind::kCompareAndSwap) {
        std::memcpy(there_.data() + from.bytes(), access_.compare, static_cast<std::size_t>(from.bytes()));
    }
}

Call Window::Operation::call() const {
    const RankId target = window_->membership_->communicator->group->world_rank(access_.target);
    switch (access_.kind) {
        case WindowAccess::Kind::kPut:
            return Call::put_uncounted(target, access_.bytes_there());
        case WindowAccess::Kind::kGet:
            return Call::get(target, access_.bytes_back());
        default:
            break;
    }
    const Call update = Call::atomic(target, access_.bytes_there(), access_.bytes_back());
    return window_->process_->world().options().updates == Progress::kCalls ? update.by_target() : update;
}

std::byte* Window::Operation::address() const {
    if (share_->flavor == WindowFlavor::kDynamic) return reinterpret_cast<std::byte*>(access_.displacement);
    const WindowPart& part = share_->parts[static_cast<std::size_t>(access_.target)];
    return part.base + access_.displacement * part.displacement_unit;
}

void Window::Operation::check_range(const WindowPart& part, const std::byte* at) const {
    const Datatype& type = *access_.target_type;
    if (access_.target_count == 0 || type.size() == 0) return;
    const std::int64_t last = (access_.target_count - 1) * type.extent();
    const std::byte* begin = at + type.true_lower_bound() + std::min<std::int64_t>(last, 0);
    const std::byte* end = at + type.true_lower_bound() + type.true_extent() + std::max<std::int64_t>(last, 0);
    const bool is_dynamic = share_->flavor == WindowFlavor::kDynamic;
    if (is_dynamic ? part.is_attached(begin, end) : begin >= part.base && end <= part.base + part.bytes) return;
    const std::string who = std::string(name(access_.kind)) + " of rank " +
                            std::to_string(window_->process_->id().value) + " is outside the window of target " +
                            std::to_string(access_.target);
    if (is_dynamic) throw InputError(who, "attach the memory there first with MPI_Win_attach");
    throw InputError(who + ": bytes " + std::to_string(begin - part.base) + " to " +
                     std::to_string(end - part.base - 1) + " of " + std::to_string(part.bytes));
}

void Window::Operation::compare_and_swap(std::byte* at) {
    const auto bytes = static_cast<std::size_t>(access_.origin.bytes());
    std::memcpy(back_.data(), at, bytes);
    if (std::memcmp(at, there_.data() + bytes, bytes) == 0) std::memcpy(at, there_.data(), bytes);
}

void Window::Operation::perform() {
    std::byte* at = address();
    check_range(share_->parts[static_cast<std::size_t>(access_.target)], at);
    if (!moves_payload_) return;
    const Datatype& type = *access_.target_type;
    const std::int64_t count = access_.target_count;
    if (const std::int64_t bytes = access_.bytes_back(); bytes > 0) back_ = Payload(bytes);
    window_->process_->world().check_payload_memory();
    switch (access_.kind) {
        case WindowAccess::Kind::kPut:
            type.unpack(at, count, there_.data(), there_.bytes());
            return;
        case WindowAccess::Kind::kGet:
            type.pack(at, count, back_.data());
            return;
        case WindowAccess::Kind::kAccumulate:
            access_.operation->accumulate(there_.data(), at, count, type);
            return;
        case WindowAccess::Kind::kGetAccumulate:
            type.pack(at, count, back_.data());
            if (there_.bytes() > 0) access_.operation->accumulate(there_.data(), at, count, type);
            return;
        case WindowAccess::Kind::kCompareAndSwap:
            compare_and_swap(at);
            return;
    }
}

TargetAnswer Window::Operation::at_target(const RemoteAccess& access, std::int64_t now_ps) {
    if (!access_.is_update()) {
        perform();
        return TargetAnswer::kNow;
    }
    WindowPart& part = share_->parts[static_cast<std::size_t>(access_.target)];
    Process& target = window_->process_->world().process(access.target);
    part.update(access.origin, update_, now_ps, [this, access, &target](std::int64_t at_ps) {
        perform();
        is_performed_ = true;
        if (is_late_) target.answer(access, at_ps);
    });
    is_late_ = !is_performed_;
    return is_late_ ? TargetAnswer::kLater : TargetAnswer::kNow;
}

void Window::Operation::at_origin() {
    if (back_.bytes() > 0) {
        const Buffer& to = access_.kind == WindowAccess::Kind::kGet ? access_.origin : access_.result;
        to.type->unpack(to.data, to.count, back_.data(), back_.bytes());
    }
    window_->ended(*this);
}

TargetAnswer Window::LockOperation::at_target(const RemoteAccess& access, std::int64_t now_ps) {
    WindowPart& part = share_->parts[static_cast<std::size_t>(target_)];
    if (!takes_) {
        part.unlock(kind_, now_ps);
        return TargetAnswer::kNow;
    }
    Process& target = window_->process_->world().process(access.target);
    const auto grant = [access, &target](std::int64_t at_ps) { target.answer(access, at_ps); };
    return part.lock(kind_, grant) ? TargetAnswer::kNow : TargetAnswer::kLater;
}

void Window::LockOperation::at_origin() {
    if (takes_) {
        window_->granted(target_);
    } else {
        --window_->releases_;
    }
}

}  // namespace haichi::mpi
