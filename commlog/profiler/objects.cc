#include "commlog/profiler/objects.h"

namespace haichi::profiler {

namespace {

constexpr std::uint32_t kMostObjects = 256;
struct Object {
    std::atomic<std::uint64_t> handle;        // 0 if the slot is free
    std::atomic<std::uint32_t> communicator;  // index of the communicator in the part
    std::atomic<std::uint32_t> position;      // index of the communicator in the profiler's own table
};
Object objects[kMostObjects];

}  // namespace

void enter_object(std::uint64_t handle, MPI_Comm comm) {
    forget_object(handle);
    for (Object& o : objects) {
        std::uint64_t free = 0;
        if (!o.handle.compare_exchange_strong(free, handle, std::memory_order_relaxed)) continue;
        const Communicator& c = communicator(comm);
        o.communicator.store(c.index, std::memory_order_relaxed);
        o.position.store(c.position, std::memory_order_relaxed);
        return;
    }
}

void forget_object(std::uint64_t handle) {
    for (Object& o : objects) {
        if (o.handle.load(std::memory_order_relaxed) == handle) o.handle.store(0, std::memory_order_relaxed);
    }
}

std::int32_t target_of(std::uint64_t window, int target) {
    for (const Object& o : objects) {
        if (o.handle.load(std::memory_order_relaxed) != window) continue;
        return communicator_at(o.position.load(std::memory_order_relaxed)).world_rank(target);
    }
    return kNobody;
}

void object_operation(Thread& t, std::uint32_t, std::uint64_t handle) {
    if (!t.recorder || handle == 0) return;
    for (const Object& o : objects) {
        if (o.handle.load(std::memory_order_relaxed) != handle) continue;
        t.recorder->collective(CollectiveOperation::kOther, o.communicator.load(std::memory_order_relaxed), kNobody, 0,
                               0, kBlocking);
        return;
    }
}

}  // namespace haichi::profiler
