#include "mapper/solve/grouped_start.h"

#include <algorithm>
#include <vector>

#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/start/bisection.h"
#include "mapper/start/node_blocks.h"
#include "mapper/start/rank_groups.h"

namespace haichi {

namespace {

/// The blocks of nodes for groups of ranks, for a machine with one rank per node. Empty if there are none.
std::optional<NodeBlocks> blocks_for(const Problem& problem) {
    constexpr std::size_t kSmall = 2048;
    if (problem.communicating_ranks().size() <= kSmall) return {};
    return node_blocks(problem.network());
}

/// Constructs one grouped start.
class GroupedStart {
  public:
    GroupedStart(const Allocation& allocation, const StartEffort& effort) : allocation_(allocation), effort_(effort) {}

    /// `share` is the fraction of the search's time for the groups.
    std::optional<Mapping> place(const Problem& problem, double share) const {
        if (problem.ranks_per_node() > 1 && !problem.has_closed_slots()) {
            const auto groups = groups_of(problem, problem.ranks_per_node());
            if (!groups) return {};
            const auto mapping = place_groups(problem, *groups, problem.network(), share);
            if (!mapping) return {};
            std::vector<NodeId> node_of_rank;
            for (const std::int32_t group : groups->of_rank) node_of_rank.push_back(mapping->node(RankId(group)));
            return Mapping::from_nodes(node_of_rank, problem.node_count(), problem.ranks_per_node());
        }
        const auto blocks = problem.has_closed_slots() ? std::nullopt : blocks_for(problem);
        if (!blocks) return bisection_placement(problem, allocation_, effort_.search.seed, effort_.may_go_on);
        const auto groups = groups_of(problem, blocks->nodes_per_block());
        if (!groups) return {};
        const auto mapping = place_groups(problem, *groups, blocks->network, share);
        if (!mapping) return {};
        std::vector<std::int32_t> block_of_rank;
        for (const std::int32_t group : groups->of_rank) block_of_rank.push_back(mapping->node(RankId(group)).value);
        return bisection_within(problem, blocks->nodes, block_of_rank, effort_.search.seed, effort_.may_go_on);
    }

  private:
    [[nodiscard]] std::optional<RankGroups> groups_of(const Problem& problem, std::int32_t most_ranks) const {
        return rank_groups(problem, most_ranks, effort_.search.seed, effort_.may_go_on);
    }

    [[nodiscard]] std::optional<Mapping> place_groups(const Problem& problem, const RankGroups& groups,
                                                      const Network& network, double share) const {
        const Workload traffic = traffic_between(problem, groups);
        const Problem of_groups(traffic, network, 1);
        const auto first = place(of_groups, share / 2);
        if (!first) return {};
        const auto hop_bytes = bind_objective({.name = "hop-bytes"}, of_groups, *first);
        return hop_bytes
            ->search([&](std::int32_t) { return *first; }, limits(groups, share),
                     {.progress = {}, .stop = effort_.control.stop, .log = effort_.control.log})
            .mapping;
    }

    [[nodiscard]] SearchOptions limits(const RankGroups& groups, double share) const {
        constexpr double kEnoughSecondsOfGroup = 5e-4;
        SearchOptions limits;
        limits.seed = effort_.search.seed;
        limits.restarts = 1;
        limits.threads = effort_.search.threads;
        if (const auto limit = effort_.search.time_limit_seconds) {
            limits.time_limit_seconds = std::min(share * *limit, kEnoughSecondsOfGroup * groups.count);
        }
        const auto asked = static_cast<double>(effort_.search.evaluations);
        if (asked > 0) limits.evaluations = std::max<std::int64_t>(static_cast<std::int64_t>(share * asked), 1);
        return limits;
    }

    const Allocation& allocation_;
    const StartEffort& effort_;
};

}  // namespace

std::optional<Mapping> grouped_start(const Problem& problem, const Allocation& allocation, const StartEffort& effort) {
    constexpr double kShareOfTime = 0.2;
    return GroupedStart(allocation, effort).place(problem, kShareOfTime);
}

bool ranks_are_grouped(const Problem& problem) {
    if (problem.has_closed_slots()) return false;  // groups have equal sizes
    return problem.ranks_per_node() > 1 || blocks_for(problem).has_value();
}

}  // namespace haichi
