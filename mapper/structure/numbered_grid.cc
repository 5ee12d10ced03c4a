#include "mapper/structure/numbered_grid.h"

#include <algorithm>
#include <cstdlib>
#include <span>

namespace haichi {

namespace {

using Sizes = std::vector<std::int32_t>;

constexpr std::size_t kMostNumberedAxes = 4;

/// All ways to write `count` as a product of up to `axes` sizes of at least 2, in every order.
void append_sizes(std::int32_t count, std::size_t axes, Sizes& begun, std::vector<Sizes>& all) {
    if (!begun.empty() && count == 1) all.push_back(begun);
    if (axes == 0) return;
    for (std::int32_t size = 2; size <= count; ++size) {
        if (count % size != 0) continue;
        if (axes == 1 && size != count) continue;
        begun.push_back(size);
        append_sizes(count / size, axes - 1, begun, all);
        begun.pop_back();
    }
}

RankGrid grid_of(std::int32_t ranks, const Sizes& sizes) {
    RankGrid grid{.sizes = sizes, .coordinates = Sizes(static_cast<std::size_t>(ranks) * sizes.size())};
    for (std::int32_t r = 0; r < ranks; ++r) {
        std::int32_t rest = r;
        for (std::size_t k = sizes.size(); k-- > 0;) {
            grid.coordinates[static_cast<std::size_t>(r) * sizes.size() + k] = rest % sizes[k];
            rest /= sizes[k];
        }
    }
    return grid;
}

/// The sum of bytes times steps on a torus with the grid's sizes, over the messages of every `step`th rank.
double bytes_times_steps(const Problem& problem, const RankGrid& grid, std::int32_t step) {
    double sum = 0;
    for (std::int32_t r = 0; r < problem.rank_count(); r += step) {
        const std::span<const std::int32_t> here = grid.of(RankId(r));
        for (const Flow& flow : problem.flows(RankId(r))) {
            const std::span<const std::int32_t> there = grid.of(flow.partner);
            std::int32_t steps = 0;
            for (std::size_t k = 0; k < here.size(); ++k) {
                const std::int32_t straight = std::abs(here[k] - there[k]);
                steps += std::min(straight, grid.sizes[k] - straight);
            }
            sum += static_cast<double>(flow.size_bytes) * steps;
        }
    }
    return sum;
}

}  // namespace

std::vector<RankGrid> numbered_grids(const Problem& problem, std::size_t most) {
    constexpr std::int32_t kJudged = 2048;
    constexpr std::size_t kMostFlowsOfJudged = 1'000'000;
    const std::int32_t ranks = problem.rank_count();
    std::vector<Sizes> all;
    Sizes begun;
    append_sizes(ranks, kMostNumberedAxes, begun, all);
    std::size_t flows = 0;
    for (std::int32_t r = 0; r < ranks; ++r) flows += problem.flows(RankId(r)).size();
    // With an odd step, the sample is not aligned with axes of even size.
    const auto by_work = static_cast<std::int32_t>(flows * all.size() / kMostFlowsOfJudged / 16);
    const std::int32_t step = std::max(ranks / kJudged, by_work) | 1;
    std::vector<std::pair<double, std::size_t>> judged;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].size() > 1) judged.emplace_back(bytes_times_steps(problem, grid_of(ranks, all[i]), step), i);
    }
    std::ranges::sort(judged);
    std::vector<RankGrid> grids;
    for (std::size_t i = 0; i < judged.size() && i + 1 < most; ++i)
        grids.push_back(grid_of(ranks, all[judged[i].second]));
    grids.push_back(grid_of(ranks, {ranks}));
    return grids;
}

}  // namespace haichi
