#include "tests/bench/bench_job.h"

namespace haichi::bench {

namespace {

Posed pose_job(const std::string& pattern, const PatternOptions& options, const std::string& machine,
               const AllocationRequest& request) {
    return testing_problems::pose(pattern, make_pattern(pattern, options), machine, request);
}

SharedJob stencil_job(const std::vector<int>& dims, const std::string& machine, std::optional<std::uint64_t> shuffle) {
    return std::make_shared<LazyJob>([=] {
        PatternOptions options;
        options.dims = dims;
        options.shuffle_seed = shuffle;
        return pose_job("stencil3d", options, machine, {});
    });
}

}  // namespace

std::vector<SizedJob> sized_jobs() {
    const auto cg64 = std::make_shared<LazyJob>([] {
        PatternOptions options;
        options.ranks = 64;
        return pose_job("cg", options, "fx10-kyushu", {.shape = {1, 2, 4, 2, 3, 2}});
    });
    return {{"nodes:96", cg64},
            {"nodes:768", stencil_job({8, 8, 12}, "fx10-kyushu", {})},
            {"nodes:12288", stencil_job({32, 24, 16}, "fx10:16x8x8", {})}};
}

std::vector<SizedJob> large_jobs() {
    constexpr std::uint64_t kShuffle = 3;
    return {{"shuffled:12288", stencil_job({32, 24, 16}, "fx10:16x8x8", kShuffle)},
            {"shuffled:82944", stencil_job({48, 54, 32}, "k", kShuffle)}};
}

SharedJob shuffled_stencil_job() { return stencil_job({16, 16, 16}, "torus:16x16x16", 1); }

}  // namespace haichi::bench
