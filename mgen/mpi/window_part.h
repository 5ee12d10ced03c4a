#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "mgen/remote_access.h"

namespace haichi::mpi {

enum class LockKind : std::uint8_t { kShared, kExclusive };

/// A member's memory in a window, and what its NIC keeps: locks, and updates that have to wait for earlier ones.
struct WindowPart {
    std::byte* base = nullptr;
    std::int64_t bytes = 0;
    std::int64_t displacement_unit = 1;

    // Only for dynamic windows:
    struct Attached {
        std::byte* base;
        std::int64_t bytes;
    };
    std::vector<Attached> attached{};
    /// True if bytes [begin, end) lie in attached memory.
    [[nodiscard]] bool is_attached(const std::byte* begin, const std::byte* end) const;

    /// Requests a lock. Returns false if the lock is not free; `later` is then called when the lock is granted.
    bool lock(LockKind kind, std::function<void(std::int64_t now_ps)> later);
    void unlock(LockKind kind, std::int64_t now_ps);

    /// Performs one origin's updates in the order in which the origin began them, because accumulates are ordered (MPI
    /// 4.0, 12.7.2). `number` is the update's position in that order, from 0. An update that arrives early waits for
    /// its predecessors and runs directly after the last of them.
    void update(RankId origin, std::uint32_t number, std::int64_t now_ps,
                std::function<void(std::int64_t now_ps)> perform);

  private:
    struct LockRequest {
        LockKind kind;
        std::function<void(std::int64_t)> grant;
    };
    struct Updates {
        std::uint32_t next = 0;
        std::unordered_map<std::uint32_t, std::function<void(std::int64_t)>> early;
    };

    [[nodiscard]] bool is_free_for(LockKind kind) const {
        return !is_locked_exclusively_ && (kind == LockKind::kShared || shared_locks_ == 0);
    }
    void take(LockKind kind);

    std::int32_t shared_locks_ = 0;
    bool is_locked_exclusively_ = false;
    std::deque<LockRequest> waiting_;
    std::unordered_map<std::int32_t, Updates> updates_;
};

}  // namespace haichi::mpi
