#include "tests/bench/bench_job.h"

#include <algorithm>

namespace haichi::bench {

namespace {

/// The job's nodes on the torus of its logical coordinates, where rmatt-3d searches: as mapper/job makes it.
Network logical_torus(const Allocation& allocation) {
    std::vector<Axis> axes;
    const auto& sizes = allocation.fold.logical_sizes;
    for (std::size_t k = sizes.size(); k-- > 0;) axes.push_back({std::string(1, "xyz"[k]), sizes[k], true});
    std::vector<VertexId> vertex_of_node;
    for (const std::int32_t cell : allocation.fold.cell_of_node) vertex_of_node.push_back(VertexId(cell));
    Grid grid(std::move(axes));
    DimensionOrder routing = default_dimension_order(grid);
    std::ranges::reverse(routing.stages);  // x first
    return Network(GridFabric{std::move(grid), std::move(routing)}, allocation.network.options(),
                   std::move(vertex_of_node));
}

Posed pose_job(const std::string& pattern, const PatternOptions& options, const std::string& machine,
               const AllocationRequest& request) {
    Posed job = testing_problems::pose(pattern, make_pattern(pattern, options), machine, request);
    job.logical = std::make_unique<Network>(logical_torus(*job.allocation));
    job.problem = std::make_unique<Problem>(*job.workload, job.allocation->network, job.allocation->ranks_per_node,
                                            job.logical.get());
    return job;
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

SharedJob shuffled_stencil_job() { return stencil_job({16, 16, 16}, "torus:16x16x16", 1); }

}  // namespace haichi::bench
