// Clocks and sleeps of ranks, which use simulated time. Reading a clock takes LiveRank::kPollPs of simulated time, so
// that polling loops end.

#include "cli/live/libc_call.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

// NOLINTBEGIN(readability-identifier-naming): names of the C library

using namespace haichi;
using namespace haichi::cli;
using host::LiveRank;

namespace {

constexpr std::int64_t kWholePsPerSecond = 1'000'000'000'000;
constexpr std::int64_t kPsPerMicrosecond = 1'000'000;
constexpr std::int64_t kPsPerNanosecond = 1'000;
/// Each run begins on 2000-01-01 UTC, so that equal runs see equal dates.
constexpr std::int64_t kEpochSeconds = 946'684'800;

/// Whether the clock shows the date, not the time since some event.
bool is_date(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
           clock == CLOCK_REALTIME_ALARM;
}

timespec time_of(std::int64_t now_ps, bool with_date) {
    return {.tv_sec = now_ps / kWholePsPerSecond + (with_date ? kEpochSeconds : 0),
            .tv_nsec = now_ps % kWholePsPerSecond / kPsPerNanosecond};
}

timeval microseconds_of(std::int64_t now_ps, bool with_date) {
    const timespec time = time_of(now_ps, with_date);
    return {.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
}

void pause(LiveRank& rank, std::int64_t seconds, std::int64_t rest_ps) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4 / kWholePsPerSecond;
    rank.spend(std::min(seconds, kMost) * kWholePsPerSecond + rest_ps);
}

bool is_valid(const timespec& time) {
    constexpr long kPerSecond = 1'000'000'000;
    return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < kPerSecond;
}

}  // namespace

HAICHI_LIBC_CALL(time_t, time, (time_t * to)) {
    static auto* const real_time = real<time_t(time_t*)>("time");
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real_time(to);
    const time_t now = time_of(rank->now_ps(), true).tv_sec;
    if (to != nullptr) *to = now;
    return now;
}

HAICHI_LIBC_CALL(int, gettimeofday, (timeval * to, void* zone)) {
    static auto* const real_gettimeofday = real<int(timeval*, void*)>("gettimeofday");
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real_gettimeofday(to, zone);
    if (to != nullptr) *to = microseconds_of(rank->now_ps(), true);
    return 0;
}

HAICHI_LIBC_CALL(int, clock_gettime, (clockid_t clock, timespec* to)) {
    static auto* const real_clock_gettime = real<int(clockid_t, timespec*)>("clock_gettime");
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real_clock_gettime(clock, to);
    if (to != nullptr) *to = time_of(rank->now_ps(), is_date(clock));
    return 0;
}

HAICHI_LIBC_CALL(int, timespec_get, (timespec * to, int base)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<int(timespec*, int)>("timespec_get")(to, base);
    if (base != TIME_UTC) return 0;
    *to = time_of(rank->now_ps(), true);
    return base;
}

HAICHI_LIBC_CALL(clock_t, clock, ()) {
    LiveRank* const rank = calling_rank();
    return rank == nullptr ? real<clock_t()>("clock")() : rank->now_ps() / kPsPerMicrosecond;
}

HAICHI_LIBC_CALL(clock_t, times, (tms * to)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<clock_t(tms*)>("times")(to);
    const std::int64_t ps_per_tick = kWholePsPerSecond / ::sysconf(_SC_CLK_TCK);
    const clock_t now = rank->now_ps() / ps_per_tick;
    if (to != nullptr) *to = {.tms_utime = now, .tms_stime = 0, .tms_cutime = 0, .tms_cstime = 0};
    return now;
}

HAICHI_LIBC_CALL(int, getrusage, (int who, rusage* to)) {
    const int result = real<int(int, rusage*)>("getrusage")(who, to);
    LiveRank* const rank = calling_rank();
    if (rank == nullptr || result != 0 || who == RUSAGE_CHILDREN) return result;
    to->ru_utime = microseconds_of(rank->now_ps(), false);
    to->ru_stime = {};
    return 0;
}

HAICHI_LIBC_CALL(unsigned, sleep, (unsigned seconds)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<unsigned(unsigned)>("sleep")(seconds);
    pause(*rank, seconds, 0);
    return 0;
}

HAICHI_LIBC_CALL(int, usleep, (useconds_t microseconds)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<int(useconds_t)>("usleep")(microseconds);
    pause(*rank, 0, static_cast<std::int64_t>(microseconds) * kPsPerMicrosecond);
    return 0;
}

HAICHI_LIBC_CALL(int, nanosleep, (const timespec* time, timespec* rest)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<int(const timespec*, timespec*)>("nanosleep")(time, rest);
    if (!is_valid(*time)) {
        errno = EINVAL;
        return -1;
    }
    pause(*rank, time->tv_sec, time->tv_nsec * kPsPerNanosecond);
    return 0;
}

HAICHI_LIBC_CALL(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* time, timespec* rest)) {
    static auto* const real_sleep = real<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real_sleep(clock, flags, time, rest);
    if (!is_valid(*time)) return EINVAL;
    if ((flags & TIMER_ABSTIME) == 0) {
        pause(*rank, time->tv_sec, time->tv_nsec * kPsPerNanosecond);
        return 0;
    }
    const std::int64_t now_ps = rank->now_ps();
    const std::int64_t seconds = time->tv_sec - (is_date(clock) ? kEpochSeconds : 0) - now_ps / kWholePsPerSecond;
    const std::int64_t rest_ps = time->tv_nsec * kPsPerNanosecond - now_ps % kWholePsPerSecond;
    if (seconds > 0 || (seconds == 0 && rest_ps > 0)) pause(*rank, seconds, rest_ps);
    return 0;
}

// NOLINTEND(readability-identifier-naming)
