// The part of OpenMP that haichi uses, for shared libraries in the sysroot. GCC's static libgomp can only be linked
// into programs. Each parallel region is one loop with a dynamic schedule, and starts its own threads.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Loop {
    std::once_flag begun;
    std::atomic<long> next;
    long end;
    long chunk;  // in the direction of the loop
};

thread_local Loop* current_loop = nullptr;
thread_local int number_in_team = 0;

bool take_chunk(long* begin, long* end) {
    Loop& loop = *current_loop;
    *begin = loop.next.fetch_add(loop.chunk);
    *end = loop.chunk > 0 ? std::min(*begin + loop.chunk, loop.end) : std::max(*begin + loop.chunk, loop.end);
    return loop.chunk > 0 ? *begin < loop.end : *begin > loop.end;
}

}  // namespace

extern "C" {

#define HIDDEN [[gnu::visibility("hidden")]]

HIDDEN int omp_get_thread_num() { return number_in_team; }

HIDDEN int omp_get_num_procs() {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                               : static_cast<int>(std::thread::hardware_concurrency());
}

HIDDEN int omp_get_max_threads() {
    const char* const chosen = std::getenv("OMP_NUM_THREADS");
    const long threads = chosen == nullptr ? 0 : std::strtol(chosen, nullptr, 10);
    return threads > 0 ? static_cast<int>(threads) : std::max(1, omp_get_num_procs());
}

HIDDEN void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned /*flags*/) {
    Loop loop;
    const auto run = [&](int number) {
        Loop* const outer_loop = current_loop;
        const int outer_number = number_in_team;
        current_loop = &loop;
        number_in_team = number;
        body(data);
        current_loop = outer_loop;
        number_in_team = outer_number;
    };
    std::vector<std::jthread> team;
    const int size = threads > 0 ? static_cast<int>(threads) : omp_get_max_threads();
    for (int number = 1; number < size; ++number) team.emplace_back(run, number);
    run(0);
}

HIDDEN bool GOMP_loop_nonmonotonic_dynamic_start(long begin, long end, long increment, long chunk, long* part_begin,
                                                 long* part_end) {
    std::call_once(current_loop->begun, [&] {
        current_loop->next = begin;
        current_loop->end = end;
        current_loop->chunk = increment * chunk;
    });
    return take_chunk(part_begin, part_end);
}

HIDDEN bool GOMP_loop_nonmonotonic_dynamic_next(long* begin, long* end) { return take_chunk(begin, end); }

HIDDEN void GOMP_loop_end_nowait() {}

}  // extern "C"
