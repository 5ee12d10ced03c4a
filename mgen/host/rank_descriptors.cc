#include "mgen/host/rank_descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/errors.h"

namespace haichi::host {

namespace {

/// Duplicates a descriptor to a number that programs do not expect to use themselves.
int copy_of(int descriptor) {
    constexpr int kFirst = 64;
    return ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirst);
}

/// Raises the limit, because each rank may need descriptors, as if it were a process of its own.
void allow_many_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Uses system calls, because a library for live programs wraps the C functions, and signal handlers call this
/// function.
void put(int from, int to) {
    if (from < 0) {
        ::syscall(SYS_close, to);
    } else {
        ::syscall(SYS_dup3, from, to, 0);
    }
}

}  // namespace

RankDescriptors::RankDescriptors() {
    for (int i = 0; i < kCount; ++i) shared_[static_cast<std::size_t>(i)] = copy_of(i);
}

RankDescriptors::~RankDescriptors() {
    for (const auto& [rank, own] : own_) {
        for (const int descriptor : own) {
            if (descriptor >= 0) ::close(descriptor);
        }
    }
    for (const int descriptor : shared_) {
        if (descriptor >= 0) ::close(descriptor);
    }
}

bool RankDescriptors::owns(RankId rank, int descriptor) const {
    if (changed_[static_cast<std::size_t>(descriptor)]) return true;
    const auto found = own_.find(rank.value);
    return found != own_.end() && found->second[static_cast<std::size_t>(descriptor)] != kShared;
}

void RankDescriptors::enter(RankId rank) noexcept {
    if (own_.empty()) return;
    const auto found = own_.find(rank.value);
    if (found == own_.end()) return;
    for (int i = 0; i < kCount; ++i) {
        const int own = found->second[static_cast<std::size_t>(i)];
        if (own != kShared) put(own, i);
    }
}

void RankDescriptors::leave(RankId rank) {
    const bool has_changed = std::ranges::find(changed_, true) != changed_.end();
    if (own_.empty() && !has_changed) return;
    const auto found = own_.find(rank.value);
    if (found == own_.end() && !has_changed) return;
    if (own_.empty()) allow_many_descriptors();
    Own& own =
        found != own_.end() ? found->second : own_.insert({rank.value, {kShared, kShared, kShared}}).first->second;
    for (int i = 0; i < kCount; ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (changed_[index]) {
            changed_[index] = false;
            if (own[index] >= 0) ::close(own[index]);
            own[index] = copy_of(i);
            if (own[index] < 0 && errno != EBADF) {
                const std::string why = std::strerror(errno);
                restore();
                own[index] = kShared;
                throw InputError("rank " + std::to_string(rank.value) + ": cannot keep its own descriptor " +
                                     std::to_string(i) + ": " + why,
                                 "raise the limit of open files (ulimit -n), or run fewer ranks");
            }
            if (own[index] < 0) own[index] = kClosed;
        }
        if (own[index] != kShared) put(shared_[index], i);
    }
}

void RankDescriptors::restore() const noexcept {
    for (int i = 0; i < kCount; ++i) put(shared_[static_cast<std::size_t>(i)], i);
}

void RankDescriptors::end(RankId rank) noexcept {
    const auto found = own_.find(rank.value);
    if (found == own_.end()) return;
    for (const int descriptor : found->second) {
        if (descriptor >= 0) ::close(descriptor);
    }
    own_.erase(found);
}

}  // namespace haichi::host
