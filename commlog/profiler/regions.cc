#include "commlog/profiler/regions.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

namespace haichi::profiler {

namespace {

std::mutex naming;

/// Returns 1 + the region's index in the part's table, or 0 if the table is full.
std::uint16_t region_named(const char* name) {
    ProfileMemory& m = *profiler.memory;
    const auto known = [&](std::uint32_t count) -> std::uint16_t {
        for (std::uint32_t r = 0; r < count; ++r) {
            if (std::strncmp(m.regions[r].name, name, kLongestRegion) == 0) return static_cast<std::uint16_t>(r + 1);
        }
        return 0;
    };
    std::atomic_ref count(m.header.region_count);
    if (const std::uint16_t number = known(count.load(std::memory_order_acquire)); number != 0) return number;
    const std::lock_guard lock(naming);
    const std::uint32_t size = count.load(std::memory_order_relaxed);
    if (const std::uint16_t number = known(size); number != 0 || size == kMostRegions) return number;
    std::strncpy(m.regions[size].name, name, kLongestRegion - 1);
    count.store(size + 1, std::memory_order_release);
    return static_cast<std::uint16_t>(size + 1);
}

void leave_innermost(Thread& t) {
    const OpenRegion& open = t.regions[--t.region_depth];
    if (open.number != 0) {
        RegionCounters& counters = t.memory->regions[open.number - 1];
        ++counters.entries;
        counters.ticks_total += ticks() - open.entered;
    }
    t.region = t.region_depth == 0 ? 0 : t.regions[t.region_depth - 1].number;
}

}  // namespace

void enter_region(Thread& t, const char* name) {
    const std::uint16_t number = region_named(name);
    if (number == 0 || t.region_depth == kDeepestRegion) {
        ++t.memory->lost_regions;
        return;
    }
    t.regions[t.region_depth++] = {ticks(), number};
    t.region = number;
}

void leave_region(Thread& t, const char* name) {
    const std::uint16_t number = region_named(name);
    for (std::uint32_t depth = t.region_depth; depth-- > 0;) {
        if (t.regions[depth].number != number) continue;
        while (t.region_depth > depth) leave_innermost(t);
        return;
    }
}

void leave_all_regions(Thread& t) {
    while (t.region_depth != 0) leave_innermost(t);
}

bool passed_name(std::uintptr_t word, char (&name)[kLongestRegion]) {
    // The kernel reads the name, so that an invalid address causes an error instead of a signal. It reads the next page
    // only if the name continues there.
    constexpr std::uintptr_t kPage = 4096;
    const std::size_t first = std::min<std::size_t>(sizeof(name), kPage - word % kPage);
    const iovec to[1] = {{name, sizeof(name)}};
    const iovec from[2] = {{reinterpret_cast<void*>(word), first},
                           {reinterpret_cast<void*>(word + first), sizeof(name) - first}};
    const ssize_t read = process_vm_readv(getpid(), to, 1, from, first < sizeof(name) ? 2 : 1, 0);
    if (read <= 0) return false;
    const std::size_t length = strnlen(name, static_cast<std::size_t>(read));
    if (length == 0 || length >= sizeof(name) || length == static_cast<std::size_t>(read)) return false;
    for (std::size_t i = 0; i < length; ++i) {
        if (name[i] < ' ' || name[i] > '~') return false;
    }
    return true;
}

}  // namespace haichi::profiler
