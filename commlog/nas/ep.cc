#include "commlog/nas/nas_run.h"

namespace haichi {

namespace {

constexpr int kBatchLog = 16;  // logarithm of the number of random numbers per batch
constexpr std::uint64_t kAnnuli = 10;

int pairs_log(char problem_class) { return of_class(problem_class, {24, 25, 28, 30, 32, 36, 40}); }

}  // namespace

std::int64_t ep_iterations(char) { return 1; }

std::string ep_refusal(char problem_class, int ranks) {
    const int batches_log = pairs_log(problem_class) - kBatchLog;
    return ranks > (1 << batches_log) ? "it has " + std::to_string(1 << batches_log) + " batches of numbers" : "";
}

void write_ep(const NasRun& run, int rank, CallSequenceBuilder& calls) {
    const int batches = 1 << (pairs_log(run.problem_class) - kBatchLog);
    const int own = batches / run.ranks + (rank < batches % run.ranks ? 1 : 0);
    calls.compute(run.iteration_seconds * own / batches);
    for (const std::uint64_t values : {std::uint64_t{1}, std::uint64_t{1}, kAnnuli}) {
        calls.collective(CollectiveOperation::kAllreduce, values * kDoubleBytes, values * kDoubleBytes);
    }
}

}  // namespace haichi
