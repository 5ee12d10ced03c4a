#include "commlog/profiler/clock.h"

#include <cstdio>
#include <cstring>

#include "commlog/profiler/loaded_mpi.h"

namespace haichi::profiler {

bool counter_is_steady = false;
std::uint64_t (*simulated_nanoseconds)() = nullptr;

void look_at_counter() {
    void* const simulated = find_symbol("haichi_simulated_nanoseconds");
    simulated_nanoseconds = reinterpret_cast<std::uint64_t (*)()>(simulated);
    if (simulated_nanoseconds != nullptr) return;
#if defined(__aarch64__)
    counter_is_steady = true;  // always true, by definition of the generic timer
#elif defined(__x86_64__)
    std::FILE* const file = std::fopen("/proc/cpuinfo", "re");
    if (file == nullptr) return;
    char word[64];
    bool constant = false;
    bool nonstop = false;
    // The flags of the first processor are enough. Words longer than the buffer are split, which does no harm.
    for (int words = 0; words < 1000 && !(constant && nonstop) && std::fscanf(file, "%63s", word) == 1; ++words) {
        constant = constant || std::strcmp(word, "constant_tsc") == 0;
        nonstop = nonstop || std::strcmp(word, "nonstop_tsc") == 0;
    }
    std::fclose(file);
    counter_is_steady = constant && nonstop;
#endif
}

Moment now() {
    // Uses the pair whose two counter readings are closest together, because it was not interrupted.
    Moment best{};
    std::uint64_t shortest = ~std::uint64_t{0};
    for (int i = 0; i < 5; ++i) {
        const std::uint64_t before = ticks();
        const std::uint64_t ns = counter_is_steady ? nanoseconds(CLOCK_MONOTONIC_RAW) : before;
        const std::uint64_t after = ticks();
        if (after - before >= shortest) continue;
        shortest = after - before;
        best = {before + (after - before) / 2, ns};
    }
    return best;
}

double ticks_per_second(const Moment& from, const Moment& to) {
    if (!counter_is_steady || to.at_ns <= from.at_ns) return 1e9;
    return static_cast<double>(to.at_ticks - from.at_ticks) * 1e9 / static_cast<double>(to.at_ns - from.at_ns);
}

}  // namespace haichi::profiler
