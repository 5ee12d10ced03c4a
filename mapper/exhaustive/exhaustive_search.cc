#include "mapper/exhaustive/exhaustive_search.h"

namespace haichi {

std::optional<std::int64_t> placement_count(const Problem& problem) {
    const auto ranks = static_cast<std::int64_t>(problem.communicating_ranks().size());
    const std::int64_t slots = problem.open_slot_count();
    std::int64_t count = 1;
    for (std::int64_t i = 0; i < ranks; ++i) {
        count *= slots - i;  // the product is at most 3.6e6 * 2^30, so it cannot overflow
        if (count > kMostPlacements) return std::nullopt;
    }
    return count;
}

}  // namespace haichi
