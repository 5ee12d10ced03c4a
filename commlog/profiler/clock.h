#pragma once

#include <ctime>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace haichi::profiler {

/// Whether the processor's counter runs at one rate whatever the processor does (constant_tsc and nonstop_tsc).
extern bool counter_is_steady;
void look_at_counter();

/// Of a simulated machine (`haichi run -- PROGRAM`), on which a look at it takes no time; null: the machine is
/// real.
extern std::uint64_t (*simulated_nanoseconds)();

inline std::uint64_t nanoseconds(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

/// Ticks of the processor's counter; nanoseconds where it is not steady, and simulated ones where all is simulated.
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

/// Both clocks at one moment.
struct Moment {
    std::uint64_t at_ticks, at_ns;
};
Moment now();

/// The counter's rate between two moments.
double ticks_per_second(const Moment& from, const Moment& to);

}  // namespace haichi::profiler
