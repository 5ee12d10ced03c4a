#include "mapper/anneal/defaults.h"

#include <algorithm>

namespace haichi {

std::int64_t default_evaluations(const Problem& problem) {
    constexpr std::int64_t kPerRank = 2000;
    constexpr std::int64_t kFewest = 200'000;
    constexpr std::int64_t kMost = 50'000'000;
    return std::clamp(kPerRank * static_cast<std::int64_t>(problem.communicating_ranks().size()), kFewest, kMost);
}

namespace {

bool is_small(const Problem& problem) {
    constexpr std::size_t kSmall = 1024;
    return problem.communicating_ranks().size() <= kSmall;
}

}  // namespace

std::int32_t default_restarts(const Problem& problem, ScheduleKind schedule) {
    if (schedule != ScheduleKind::kAuto) return 1;
    return is_small(problem) ? 8 : 1;
}

bool restarts_are_shared(const Problem& problem, ScheduleKind schedule) {
    return schedule == ScheduleKind::kAuto && !is_small(problem);
}

}  // namespace haichi
