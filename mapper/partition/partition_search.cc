#include "mapper/partition/partition_search.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "base/errors.h"
#include "base/usable_threads.h"
#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/partition/balanced_blocks.h"
#include "mapper/partition/block_tree.h"
#include "mapper/partition/evolution.h"
#include "mapper/search/progress_meter.h"
#include "mapper/start/bisection.h"
#include "mapper/start/rank_groups.h"

namespace haichi {

namespace {

constexpr std::int32_t kMostPartitionNodes = 4096;
constexpr std::size_t kMostParts = 8;
constexpr double kShareOfParts = 0.8;  ///< fraction of the effort for splitting; the rest is for V-cycles on all nodes
constexpr double kShareOfLevel = 0.6;  ///< fraction of the effort left for splitting, per level
constexpr double kReservePerHalving = 0.05;  ///< fraction of the imbalance reserved for each further split of a part

PartitionGraph graph_of(const Problem& problem) {
    PartitionGraph graph;
    const auto count = static_cast<std::size_t>(problem.rank_count());
    graph.first.reserve(count + 1);
    std::size_t flows = 0;
    for (std::size_t r = 0; r < count; ++r) flows += problem.flows(RankId(r)).size();
    graph.to.reserve(flows);
    graph.weight.reserve(flows);
    for (std::size_t r = 0; r < count; ++r) {
        for (const Flow& flow : problem.flows(RankId(r))) {
            graph.to.push_back(flow.partner.value);
            graph.weight.push_back(flow.size_bytes);
        }
        graph.first.push_back(graph.to.size());
    }
    const auto weights = problem.workload().rank_weights();
    graph.vertex_weight.assign(weights.begin(), weights.end());
    if (weights.empty() || problem.node_capacity() == 0) graph.vertex_weight.assign(count, 1);
    return graph;
}

/// The state of one call of search_by_partition().
class PartitionSearch {
  public:
    PartitionSearch(const Problem& problem, const SearchOptions& options, const SearchControl& control)
        : problem_(problem), options_(options), control_(control), graph_(graph_of(problem)) {
        for (std::int32_t n = 0; n < problem.node_count(); ++n) {
            if (problem.network().is_usable(NodeId(n))) nodes_.push_back(NodeId(n));
        }
        const std::size_t count = nodes_.size();
        blocks_.distances.resize(count * count, 0);
        const bool is_symmetric = problem.network().hops_are_symmetric();
        const HopDistance& hops = problem.hop_distance();
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = 0; b < count; ++b) {
                if (a == b) continue;
                const std::int32_t back = is_symmetric ? 0 : hops(nodes_[b], nodes_[a]);
                blocks_.distances[a * count + b] = hops(nodes_[a], nodes_[b]) + back;
            }
        }
        for (const NodeId node : nodes_) {
            const std::int64_t capacity = problem.node_capacity();
            blocks_.capacity.push_back(capacity > 0 ? capacity : problem.open_slots(node));
        }
        mean_capacity_ = static_cast<double>(std::reduce(blocks_.capacity.begin(), blocks_.capacity.end())) /
                         static_cast<double>(count);
        tree_ = block_tree(blocks_.distances, count);
        mean_ = static_cast<double>(graph_.total_vertex_weight()) / static_cast<double>(count);
        effort_.stop = control.stop;
        effort_.threads = options.threads > 0 ? options.threads : omp_get_max_threads();
        if (options.time_limit_seconds) {
            effort_.end =
                PartitionEffort::Clock::now() + std::chrono::duration_cast<PartitionEffort::Clock::duration>(
                                                    std::chrono::duration<double>(*options.time_limit_seconds));
        }
        constexpr std::int64_t kEvaluationsPerItem = 30;
        effort_.evaluations =
            options.evaluations > 0
                ? options.evaluations
                : kEvaluationsPerItem * static_cast<std::int64_t>(graph_.vertex_count() + graph_.to.size() / 2);
    }

    SearchResult run() {
        const auto begin = PartitionEffort::Clock::now();
        block_.assign(graph_.vertex_count(), 0);
        split_all(effort_.part(kShareOfParts));
        if (!tree_.is_complete && !problem_.has_closed_slots()) place_parts();
        control_.log.info("partition: {} after splitting", make_partition(graph_, blocks_, block_).cost);
        const FoundPartition found = improved();
        SearchResult result;
        std::vector<NodeId> node_of_rank;
        for (const std::int32_t b : found.partition.block) node_of_rank.push_back(nodes_[static_cast<std::size_t>(b)]);
        result.mapping = Mapping::from_nodes(node_of_rank, problem_.node_count(), problem_.ranks_per_node());
        result.value = static_cast<double>(found.partition.cost);
        result.evaluations = evaluations_;
        result.convergence = {{evaluations_, result.value}};
        result.loop_seconds = seconds_since(begin) * effort_.threads;
        result.interrupted = control_.stop != nullptr && control_.stop->load();
        return result;
    }

  private:
    /// Ranks and the nodes that they share.
    struct Part {
        std::vector<std::int32_t> ranks;
        std::vector<std::int32_t> nodes;
    };

    void split_all(const PartitionEffort& effort) {
        Part all;
        all.ranks.resize(graph_.vertex_count());
        std::iota(all.ranks.begin(), all.ranks.end(), 0);
        all.nodes.resize(nodes_.size());
        std::iota(all.nodes.begin(), all.nodes.end(), 0);
        std::vector<Part> parts = {std::move(all)};
        std::int64_t left = effort.evaluations;
        for (std::uint64_t level = 0; !parts.empty(); ++level) {
            const bool is_last =
                std::ranges::all_of(parts, [](const Part& part) { return part.nodes.size() <= kMostParts; });
            PartitionEffort of_level = effort;
            of_level.evaluations = left;
            of_level = of_level.part(is_last ? 1 : kShareOfLevel);
            left -= of_level.evaluations;
            parts = split_level(parts, level, of_level);
        }
    }

    /// Splits all parts of a level in parallel. Returns the new parts that have several nodes.
    std::vector<Part> split_level(const std::vector<Part>& parts, std::uint64_t level, const PartitionEffort& effort) {
        const auto count = static_cast<int>(parts.size());
        std::vector<std::vector<Part>> split(parts.size());
        std::vector<std::int64_t> evaluations(parts.size(), 0);
        std::atomic<int> begun = 0;
        const int threads = usable_threads(std::min(effort.threads, count));
#pragma omp parallel num_threads(threads)
        {
            std::vector<std::int32_t> inner(graph_.vertex_count(), -1);
#pragma omp for schedule(dynamic, 1)
            for (int k = 0; k < count; ++k) {
                const auto i = static_cast<std::size_t>(k);
                const int waiting = count - begun.fetch_add(1);
                PartitionEffort of_part = effort.part(std::min(1.0, static_cast<double>(threads) / waiting));
                of_part.evaluations = effort.evaluations / count;
                of_part.threads = count == 1 ? effort.threads : 1;
                const std::uint64_t seed = options_.seed + (level << 32U) + static_cast<std::uint64_t>(k);
                split[i] = split_part(parts[i], seed, of_part, inner, evaluations[i]);
            }
        }
        std::vector<Part> next;
        for (std::size_t i = 0; i < split.size(); ++i) {
            evaluations_ += evaluations[i];
            for (Part& part : split[i]) {
                if (part.nodes.size() > 1) {
                    next.push_back(std::move(part));
                    continue;
                }
                for (const std::int32_t rank : part.ranks) block_[static_cast<std::size_t>(rank)] = part.nodes.front();
            }
        }
        return next;
    }

    std::vector<Part> split_part(const Part& part, std::uint64_t seed, const PartitionEffort& effort,
                                 std::vector<std::int32_t>& inner, std::int64_t& evaluations) const {
        std::vector<Part> parts;
        if (part.nodes.size() == 1) return {part};
        for (auto& nodes : tree_.split(part.nodes, kMostParts)) parts.push_back({{}, std::move(nodes)});
        if (part.ranks.empty()) return parts;
        Blocks blocks = Blocks::equal(static_cast<std::int32_t>(parts.size()), 0);
        for (std::size_t b = 0; b < parts.size(); ++b) blocks.capacity[b] = capacity_of(parts[b].nodes);
        const PartitionGraph graph = part_of(graph_, part.ranks, inner);
        const FoundPartition found = evolved_partition(graph, blocks, seed, effort);
        evaluations = found.evaluations;
        for (std::size_t i = 0; i < part.ranks.size(); ++i) {
            parts[static_cast<std::size_t>(found.partition.block[i])].ranks.push_back(part.ranks[i]);
        }
        return parts;
    }

    /// The capacity of several nodes together. Reserves a part of the imbalance for further splits.
    [[nodiscard]] std::int64_t capacity_of(std::span<const std::int32_t> nodes) const {
        std::int64_t sum = 0;
        for (const std::int32_t node : nodes) sum += blocks_.capacity[static_cast<std::size_t>(node)];
        const auto count = static_cast<double>(nodes.size());
        const double capacity = static_cast<double>(sum) / count;
        const double mean = std::min(mean_ * (capacity / mean_capacity_), capacity);
        const double kept = std::min(kReservePerHalving * std::log2(count), 0.5);
        const double exact = count * (capacity - kept * (capacity - mean));
        return problem_.has_closed_slots() ? std::llround(exact) : static_cast<std::int64_t>(exact);
    }

    /// Exchanges whole parts between nodes. Treats the parts as the ranks of a smaller job.
    void place_parts() {
        if (!effort_.may_go_on()) return;
        RankGroups groups{block_, static_cast<std::int32_t>(nodes_.size())};
        const Workload traffic = traffic_between(problem_, groups);
        const Problem of_parts(traffic, problem_.network(), 1);
        Mapping first = Mapping::from_nodes(nodes_, problem_.node_count(), 1);
        const auto hop_bytes = bind_objective({.name = "hop-bytes"}, of_parts, first);
        SearchOptions limits;
        limits.seed = options_.seed;
        limits.restarts = 1;
        limits.threads = options_.threads;
        if (effort_.end) limits.time_limit_seconds = std::max(seconds_left() / 2, 1e-3);
        const SearchResult found = hop_bytes->search([&](std::int32_t) { return first; }, limits,
                                                     {.progress = {}, .stop = control_.stop, .log = control_.log});
        std::vector<std::int32_t> number(static_cast<std::size_t>(problem_.node_count()), 0);
        for (std::size_t b = 0; b < nodes_.size(); ++b) number[nodes_[b].index()] = static_cast<std::int32_t>(b);
        for (std::int32_t& b : block_) b = number[found.mapping.node(RankId(b)).index()];
    }

    [[nodiscard]] double seconds_left() const {
        return std::chrono::duration<double>(*effort_.end - PartitionEffort::Clock::now()).count();
    }

    FoundPartition improved() {
        Partition first = make_partition(graph_, blocks_, std::move(block_));
        PartitionEffort left = effort_;
        left.evaluations = std::max<std::int64_t>(effort_.evaluations - evaluations_, 1);
        FoundPartition found = improved_partition(graph_, blocks_, std::move(first), options_.seed, left);
        evaluations_ += found.evaluations;
        if (found.partition.overload == 0) return found;
        // Heavy ranks fit only in some distributions, of which the default placement is one.
        control_.log.info("partition: nodes above their capacity, so the search starts from the default placement");
        auto balanced = problem_.has_closed_slots()
                            ? filled_blocks()
                            : balanced_blocks(graph_.vertex_weight, static_cast<std::int32_t>(nodes_.size()),
                                              blocks_.capacity.front());
        if (!balanced) throw InternalError("the ranks do not fit on the nodes");
        found = improved_partition(graph_, blocks_, make_partition(graph_, blocks_, std::move(*balanced)),
                                   options_.seed, left);
        evaluations_ += found.evaluations;
        return found;
    }

    /// Fills one node after another with ranks, whose weights are all 1.
    [[nodiscard]] std::optional<BlockOfVertex> filled_blocks() const {
        BlockOfVertex block;
        for (std::size_t b = 0; b < nodes_.size(); ++b) {
            const std::size_t left = graph_.vertex_count() - block.size();
            block.insert(block.end(), std::min(left, static_cast<std::size_t>(blocks_.capacity[b])),
                         static_cast<std::int32_t>(b));
        }
        return block;
    }

    const Problem& problem_;
    const SearchOptions& options_;
    const SearchControl& control_;
    PartitionGraph graph_;
    std::vector<NodeId> nodes_;  ///< usable nodes; block b is nodes_[b]
    Blocks blocks_;              ///< distances and capacities of the nodes
    BlockTree tree_;
    double mean_ = 0;           ///< weight per node
    double mean_capacity_ = 0;  ///< capacity per node
    PartitionEffort effort_;
    BlockOfVertex block_;
    std::int64_t evaluations_ = 0;
};

}  // namespace

std::optional<std::string> why_no_partition(const Problem& problem) {
    if (problem.network().usable_node_count() <= kMostPartitionNodes) return std::nullopt;
    return "it has " + std::to_string(problem.network().usable_node_count()) + " nodes, and the limit is " +
           std::to_string(kMostPartitionNodes);
}

SearchResult search_by_partition(const Problem& problem, const SearchOptions& options, const SearchControl& control) {
    return PartitionSearch(problem, options, control).run();
}

}  // namespace haichi
