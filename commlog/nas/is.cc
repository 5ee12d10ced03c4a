#include "commlog/nas/nas_run.h"

namespace haichi {

namespace {

constexpr std::uint64_t kKeyBytes = 4;
// Number of keys of the partial verification, which are summed together with the buckets.
constexpr std::uint64_t kTestKeys = 5;
/// Fraction of an iteration's computation before the keys are sent. Two passes before the send count the keys and sort
/// them into buckets. One pass after the send ranks the keys.
constexpr double kBefore = 2.0 / 3;

std::int64_t keys(char problem_class) {
    constexpr std::int64_t kPartsOfClassD = 4;
    const std::int64_t stated = std::int64_t{1} << of_class(problem_class, {16, 20, 23, 25, 27, 29});
    return problem_class == 'D' ? stated * kPartsOfClassD : stated;
}

}  // namespace

std::int64_t is_iterations(char) { return 10; }

std::string is_refusal(char problem_class, int ranks) {
    if (std::string refusal = refuse_unless_power_of_two(ranks); !refusal.empty()) return refusal;
    const int least = problem_class == 'D' ? 4 : 1;
    const int most = problem_class == 'S' ? 128 : 1024;
    if (ranks >= least && ranks <= most) return "";
    return "it supports " + std::to_string(least) + " to " + std::to_string(most);
}

/// Destinations of keys are random, so each rank sends equally many keys to every rank.
void write_is(const NasRun& run, int, CallSequenceBuilder& calls) {
    const auto ranks = static_cast<std::uint64_t>(run.ranks);
    const std::uint64_t buckets = run.problem_class == 'S' ? 512 : 1024;
    const std::uint64_t bucket_bytes = (buckets + kTestKeys) * kKeyBytes;
    const std::uint64_t own_bytes = static_cast<std::uint64_t>(keys(run.problem_class)) / ranks * kKeyBytes;
    const double own_seconds = run.iteration_seconds / run.ranks;
    calls.repeat(static_cast<std::uint64_t>(run.iterations), [&] {
        calls.compute(kBefore * own_seconds);
        calls.collective(CollectiveOperation::kAllreduce, bucket_bytes, bucket_bytes);
        calls.collective(CollectiveOperation::kAlltoall, ranks * kKeyBytes, ranks * kKeyBytes);
        calls.collective(CollectiveOperation::kAlltoallv, own_bytes, own_bytes);
        calls.compute((1 - kBefore) * own_seconds);
    });
}

}  // namespace haichi
