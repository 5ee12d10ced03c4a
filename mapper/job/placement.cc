#include "mapper/job/placement.h"

#include <cmath>
#include <numeric>

#include "base/errors.h"

namespace haichi {

double mean_seconds(const ObjectiveTrial& trial) {
    const double sum = std::accumulate(trial.seconds.begin(), trial.seconds.end(), 0.0);
    return trial.seconds.empty() ? 0 : sum / static_cast<double>(trial.seconds.size());
}

std::optional<double> spread_seconds(const ObjectiveTrial& trial) {
    if (trial.seconds.size() < 2) return std::nullopt;
    const double mean = mean_seconds(trial);
    double squares = 0;
    for (const double seconds : trial.seconds) squares += (seconds - mean) * (seconds - mean);
    return std::sqrt(squares / static_cast<double>(trial.seconds.size() - 1));
}

bool is_gain(const ObjectiveTrial& trial, double default_seconds) {
    if (trial.seconds.empty()) return false;
    const double saved = default_seconds - mean_seconds(trial);
    return saved > 0 && saved >= kLeastGain * default_seconds && saved > spread_seconds(trial).value_or(0);
}

Mapping mapping_of(std::span<const NodeId> node_of_rank, const Allocation& allocation) {
    Mapping mapping = Mapping::from_nodes(node_of_rank, allocation.node_count(), allocation.ranks_per_node);
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        const NodeId node = mapping.node(RankId(r));
        const std::int32_t slots = allocation.slots(node);
        if (mapping.slot(RankId(r)).value % mapping.ranks_per_node() < slots) continue;
        throw OptionError("rank " + std::to_string(r) + " does not fit on node " + allocation.network.node_name(node) +
                          ", which has " + std::to_string(slots) + (slots == 1 ? " rank slot" : " rank slots"));
    }
    return mapping;
}

Placement given_placement(const Job& job, const GivenMap& map, const std::string& format) {
    if (const auto* path = std::get_if<std::string>(&map)) {
        Mapping mapping = read_rank_map(*path, format, job.rank_maps());
        if (job.balance() != nullptr) check_balance(*job.balance(), mapping, job.allocation().network, *path);
        return {job, std::move(mapping)};
    }
    const auto& nodes = std::get<std::vector<NodeId>>(map);
    if (static_cast<std::int64_t>(nodes.size()) != job.rank_count()) {
        throw OptionError("the placement has " + std::to_string(nodes.size()) + " ranks, but the workload has " +
                          std::to_string(job.rank_count()));
    }
    const Allocation& allocation = job.allocation();
    for (std::size_t r = 0; r < nodes.size(); ++r) {
        if (nodes[r].value < 0 || nodes[r].value >= allocation.node_count()) continue;  // rejected below
        if (allocation.network.is_usable(nodes[r])) continue;
        throw OptionError("rank " + std::to_string(r) + " is on node " + std::to_string(nodes[r].value) +
                          ", which is faulty");
    }
    Mapping mapping = mapping_of(nodes, allocation);
    if (job.balance() != nullptr) check_balance(*job.balance(), mapping, allocation.network, "the placement");
    return {job, std::move(mapping)};
}

}  // namespace haichi
