#include "commlog/profiler/thread_state.h"

#include <pthread.h>
#include <sys/mman.h>

#include "commlog/profiler/modules.h"
#include "commlog/profiler/part_file.h"

namespace haichi::profiler {

thread_local constinit Gate gate{nullptr, 0, false};
Profiler profiler;

namespace {

Thread threads[kMostThreads];
std::atomic<bool> is_taken[kMostThreads];
pthread_key_t at_end;

/// The slot of a thread that has ended can be reused, because programs may start threads repeatedly.
void leave_thread(void* slot) {
    gate.thread = nullptr;
    is_taken[static_cast<Thread*>(slot)->number].store(false, std::memory_order_release);
}

/// Returns a free slot, or kMostThreads if there is none.
std::uint32_t take_slot() {
    for (std::uint32_t number = 0; number < kMostThreads; ++number) {
        bool taken = false;
        if (is_taken[number].compare_exchange_strong(taken, true, std::memory_order_acquire)) return number;
    }
    return kMostThreads;
}

template <class T>
T* pages_of(std::uint32_t count) {
    void* const pages =
        mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? nullptr : static_cast<T*>(pages);
}

template <class T>
void give_back_pages(T* pages, std::uint32_t count) {
    if (pages != nullptr) munmap(pages, count * sizeof(T));
}

}  // namespace

CallSite* enter_site(Thread& t, std::uint64_t key, std::uint32_t at) {
    constexpr int kMostTries = 64;
    for (int tries = 0; tries < kMostTries; ++tries, at = (at + 1) & (kMostSites - 1)) {
        CallSite& site = t.memory->sites[at];
        if (site.address == t.caller && (site.key & kSiteKeyMask) == key) return &site;
        if (site.key != 0) continue;
        site.address = t.caller;
        site.key = key | std::uint64_t{module_of(t.caller)} << 48;
        return &site;
    }
    ++t.memory->lost_site_calls;
    return &t.no_site;
}

bool start_threads() { return pthread_key_create(&at_end, leave_thread) == 0; }

bool grow(Thread& t, std::uint32_t count) {
    constexpr std::uint32_t kFirst = 4096;
    std::uint32_t room = kFirst;
    while (room < count && room < 1U << 30) room *= 2;
    auto* const requests = pages_of<MPI_Request>(room);
    auto* const slots = pages_of<std::uint32_t>(room);
    auto* const statuses = pages_of<MPI_Status>(room);
    if (requests == nullptr || slots == nullptr || statuses == nullptr || room < count) {
        give_back_pages(requests, room);
        give_back_pages(slots, room);
        give_back_pages(statuses, room);
        return false;
    }
    give_back_pages(t.requests, t.room);
    give_back_pages(t.slots, t.room);
    give_back_pages(t.statuses, t.room);
    t.requests = requests;
    t.slots = slots;
    t.statuses = statuses;
    t.room = room;
    return true;
}

Thread* enter_thread() {
    ProfileHeader& h = profiler.memory->header;
    if (gate.is_uncounted) {
        std::atomic_ref(h.uncounted_calls).fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    const std::uint32_t number = take_slot();
    const bool is_new = number < kMostThreads && threads[number].memory == nullptr;
    if (number == kMostThreads || (is_new && (!reserve_thread(number) || !grow(threads[number], 1)))) {
        gate.is_uncounted = true;
        std::atomic_ref(h.uncounted_threads).fetch_add(1, std::memory_order_relaxed);
        std::atomic_ref(h.uncounted_calls).fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    Thread& t = threads[number];
    // The computation of the first thread begins when the job begins.
    t.last_left = is_new && number == 0 ? h.start_ticks : ticks();
    t.region = t.region_depth = 0;  // an earlier thread in this slot has left its regions
    if (is_new) {
        t.number = number;
        t.site = &t.no_site;
        t.memory = &profiler.memory->threads[number];
        if (profiler.keeps_calls) t.recorder.emplace(&t.memory->calls);
        t.memory->first_ticks = t.last_left;
        t.memory->last_ticks = t.last_left;
        std::atomic_ref(h.threads).fetch_add(1, std::memory_order_acq_rel);
    }
    pthread_setspecific(at_end, &t);
    gate.thread = &t;
    return &t;
}

}  // namespace haichi::profiler
