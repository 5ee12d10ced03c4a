#include "objectives/tac3.h"

#include <algorithm>

namespace haichi {

CollisionCost::CollisionCost(const Problem& problem)
    : problem_(&problem), collisions_(problem), by_size_(problem.set_count()) {
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        if (problem.set_is_uniform(t)) continue;
        for (const Message& m : problem.workload().messages(t)) {
            if (m.crosses_network()) by_size_[t].push_back(m);
        }
        std::ranges::stable_sort(by_size_[t], std::ranges::greater{}, &Message::size_bytes);
    }
}

}  // namespace haichi
