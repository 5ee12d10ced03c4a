#include "mapper/start/placement_cost.h"

namespace haichi {

double twice_hop_bytes(const Problem& problem, const Mapping& mapping) {
    double sum = 0;
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
        for (const Flow& flow : problem.flows(RankId(r))) {
            const std::int32_t hops = problem.hop_distance()(mapping.node(RankId(r)), mapping.node(flow.partner));
            sum += static_cast<double>(flow.size_bytes) * hops;
        }
    }
    return sum;
}

}  // namespace haichi
