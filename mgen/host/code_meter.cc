#include "mgen/host/code_meter.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace haichi::host {

CodeMeter::CodeMeter(double factor) : factor_(factor), reading_ns_(std::numeric_limits<std::int64_t>::max()) {
    constexpr int kReadings = 1000;
    std::int64_t last_ns = now_ns();
    for (int i = 0; i < kReadings; ++i) {
        const std::int64_t ns = now_ns();
        reading_ns_ = std::min(reading_ns_, ns - last_ns);
        last_ns = ns;
    }
}

/// Uses a system call, because clock_gettime() is replaced for the program and returns simulated time.
std::int64_t CodeMeter::now_ns() {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    timespec now{};
    ::syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

std::int64_t CodeMeter::simulated_ps(std::int64_t since_ns, std::int64_t until_ns) const {
    constexpr double kPsPerNs = 1000;
    const std::int64_t passed_ns = std::max<std::int64_t>(until_ns - since_ns - reading_ns_, 0);
    return std::llround(static_cast<double>(passed_ns) * factor_ * kPsPerNs);
}

}  // namespace haichi::host
