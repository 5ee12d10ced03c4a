#pragma once

#include <ctime>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace haichi::profiler {

/// True if the processor's counter has a constant rate in all processor states (constant_tsc and nonstop_tsc).
extern bool counter_is_steady;
void look_at_counter();

/// The clock of a simulated machine (`haichi run -- PROGRAM`), whose readings take no simulated time. It is null on a
/// real machine.
extern std::uint64_t (*simulated_nanoseconds)();

inline std::uint64_t nanoseconds(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

/// Returns ticks of the processor's counter, or nanoseconds if the counter's rate is not constant. On a simulated
/// machine it returns simulated nanoseconds.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
    if (counter_is_steady) [[likely]]
        return __rdtsc();
#elif defined(__aarch64__)
    if (counter_is_steady) [[likely]] {
        std::uint64_t count;
        asm volatile("mrs %0, cntvct_el0" : "=r"(count));
        return count;
    }
#endif
    return simulated_nanoseconds != nullptr ? simulated_nanoseconds() : nanoseconds(CLOCK_MONOTONIC_RAW);
}

/// Readings of the counter and of the clock at the same time.
struct Moment {
    std::uint64_t at_ticks, at_ns;
};
Moment now();

/// Returns the counter's rate, measured between two moments.
double ticks_per_second(const Moment& from, const Moment& to);

}  // namespace haichi::profiler
