#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "netmodel/topology/grid.h"

namespace haichi {

/// A job of x * y * z Tofu units in which only B closes.
inline Grid tofu_job(std::int32_t x, std::int32_t y, std::int32_t z) {
    return Grid({{"X", x, false}, {"Y", y, false}, {"Z", z, false}, {"A", 2, false}, {"B", 3, true}, {"C", 2, false}});
}
/// The axes that are folded together.
inline const std::vector<std::vector<std::size_t>> kTofuPairs = {{0, 3}, {1, 4}, {2, 5}};

}  // namespace haichi
