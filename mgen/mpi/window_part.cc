#include "mgen/mpi/window_part.h"

#include <algorithm>
#include <utility>

namespace haichi::mpi {

bool WindowPart::is_attached(const std::byte* begin, const std::byte* end) const {
    // Adjacent memory ranges may have been attached separately.
    while (begin < end) {
        const auto found = std::ranges::find_if(
            attached, [&](const Attached& piece) { return piece.base <= begin && begin < piece.base + piece.bytes; });
        if (found == attached.end()) return false;
        begin = found->base + found->bytes;
    }
    return true;
}

void WindowPart::take(LockKind kind) {
    if (kind == LockKind::kExclusive) {
        is_locked_exclusively_ = true;
    } else {
        ++shared_locks_;
    }
}

bool WindowPart::lock(LockKind kind, std::function<void(std::int64_t now_ps)> later) {
    // Locks are granted in the order of requests, which prevents starvation.
    if (waiting_.empty() && is_free_for(kind)) {
        take(kind);
        return true;
    }
    waiting_.push_back({kind, std::move(later)});
    return false;
}

void WindowPart::unlock(LockKind kind, std::int64_t now_ps) {
    if (kind == LockKind::kExclusive) {
        is_locked_exclusively_ = false;
    } else {
        --shared_locks_;
    }
    while (!waiting_.empty() && is_free_for(waiting_.front().kind)) {
        const LockRequest next = std::move(waiting_.front());
        waiting_.pop_front();
        take(next.kind);
        next.grant(now_ps);
    }
}

void WindowPart::update(RankId origin, std::uint32_t number, std::int64_t now_ps,
                        std::function<void(std::int64_t now_ps)> perform) {
    Updates& of = updates_[origin.value];
    if (number != of.next) {
        of.early.emplace(number, std::move(perform));
        return;
    }
    perform(now_ps);
    ++of.next;
    for (auto at = of.early.find(of.next); at != of.early.end(); at = of.early.find(of.next)) {
        const auto early = std::move(at->second);
        of.early.erase(at);
        early(now_ps);
        ++of.next;
    }
}

}  // namespace haichi::mpi
