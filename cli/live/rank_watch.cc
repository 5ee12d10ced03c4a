#include "cli/live/rank_watch.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "cli/live/live_program.h"

namespace haichi::cli {

namespace {

/// An interrupted run gets this time to end by itself.
constexpr int kPatienceSeconds = 2;
constexpr int kBlockedSeconds = 5;
/// A rank is blocked if it uses less than this fraction of the time for computation.
constexpr double kBusyFraction = 0.1;

/// The CPU time that this process has used.
std::clock_t cpu_time() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

}  // namespace

RankWatch::RankWatch(const LiveProgram& program, std::int32_t ranks, std::function<std::string(const void*)> place_name)
    : program_(&program), place_name_(std::move(place_name)), ranks_(static_cast<std::size_t>(ranks)) {
    SignalWatch::set_monitor(this);
}

RankWatch::~RankWatch() { SignalWatch::set_monitor(nullptr); }

void RankWatch::will_run(RankId rank) {
    rank_.store(rank.value, std::memory_order_relaxed);
    switches_.fetch_add(1, std::memory_order_relaxed);
}

void RankWatch::has_stopped(RankId /*rank*/, std::int64_t /*now_ps*/) {
    switches_.fetch_add(1, std::memory_order_relaxed);
}

std::string RankWatch::state_of_rank() const {
    const std::int32_t number = rank_;
    std::string text = "rank " + std::to_string(number);
    const host::LiveRank* const rank = ranks_[static_cast<std::size_t>(number)];
    if (rank == nullptr || rank->call_site == nullptr) return text + " has not made its first MPI call";
    const std::string place = place_name_(rank->call_site);
    return text + " has not returned to MPI after its last call" + (place.empty() ? "" : " in " + place);
}

bool RankWatch::must_end(bool is_interrupted) {
    const std::uint64_t switches = switches_;
    const bool is_same = switches == seen_switches_ && switches % 2 == 1;
    seen_switches_ = switches;
    if (!is_same) {
        unchanged_seconds_ = interrupted_seconds_ = 0;
        seen_cpu_time_ = cpu_time();
        return false;
    }
    ++unchanged_seconds_;
    const int error = program_->output()->standard_error();
    if (is_interrupted && ++interrupted_seconds_ >= kPatienceSeconds) {
        ::dprintf(error, "interrupted: the run ends now, without a result, because %s\n", state_of_rank().c_str());
        // The rank may be writing at this moment, or its buffer may hold text.
        if (::ftrylockfile(stdout) == 0) ::fflush_unlocked(stdout);
        program_->output()->write_rest();
        return true;
    }
    if (!is_interrupted && unchanged_seconds_ == kBlockedSeconds && !has_warned_) {
        const double used = static_cast<double>(cpu_time() - seen_cpu_time_) / CLOCKS_PER_SEC;
        if (used > kBusyFraction * kBlockedSeconds) return false;
        has_warned_ = true;
        ::dprintf(error,
                  "warning: %s and waits in the operating system; a rank that waits for another one, as through a "
                  "socket, waits forever\n",
                  state_of_rank().c_str());
    }
    return false;
}

}  // namespace haichi::cli
