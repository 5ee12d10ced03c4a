#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi {

/// Coordinates of a job's ranks. Most bytes go to ranks that differ in one coordinate, mostly to the next position. A
/// value type. No two ranks share a position, and a rank may have no position.
struct RankGrid {
    static constexpr std::int32_t kNowhere = -1;

    std::vector<std::int32_t> sizes;        ///< positions of each axis
    std::vector<std::int32_t> coordinates;  ///< rank by rank, one per axis; kNowhere for a rank off the grid

    [[nodiscard]] std::size_t axis_count() const { return sizes.size(); }
    [[nodiscard]] std::size_t rank_count() const { return coordinates.size() / sizes.size(); }
    [[nodiscard]] std::span<const std::int32_t> of(RankId rank) const {
        return std::span(coordinates).subspan(rank.index() * sizes.size(), sizes.size());
    }
    [[nodiscard]] bool has(RankId rank) const { return of(rank).front() != kNowhere; }
};

}  // namespace haichi
