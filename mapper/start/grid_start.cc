#include "mapper/start/grid_start.h"

#include <utility>
#include <vector>

#include "mapper/start/greedy.h"
#include "mapper/start/grid_embedding.h"
#include "mapper/start/placement_cost.h"
#include "mapper/structure/numbered_grid.h"
#include "mapper/structure/product_grid.h"

namespace haichi {

namespace {

/// The state of one construction.
class GridStart {
  public:
    /// If `values` is empty, placements are compared by hop-bytes.
    GridStart(const Problem& problem, const Allocation& allocation, ValuesOfPlacement values, const MayGoOn& may_go_on)
        : problem_(problem),
          allocation_(allocation),
          values_(std::move(values)),
          may_go_on_(may_go_on),
          box_(problem) {}

    std::optional<Mapping> run() {
        constexpr std::size_t kMostNumbered = 4;
        if (!try_found_grids()) {
            for (const RankGrid& grid : numbered_grids(problem_, kMostNumbered)) try_grid(grid);
        }
        return std::move(best_);
    }

  private:
    /// Tries grids found in the messages, which fit better than grids from rank numbers. Returns false if there are
    /// none.
    bool try_found_grids() {
        constexpr double kShareOfHeavy = 0.1;
        const RankGraph graph = rank_graph(problem_);
        return try_found(graph) || try_found(without_lighter_edges_of_triangles(graph)) ||
               try_found(without_looser_edges_of_triangles(graph)) || try_found(heavy_edges(graph, kShareOfHeavy));
    }

    bool try_found(const RankGraph& graph) {
        if (!may_go_on_()) return false;
        const std::optional<RankGrid> grid = find_product_grid(graph);
        return grid && try_grid(*grid);
    }

    bool try_grid(const RankGrid& grid) {
        const bool is_placed = try_grid(grid, WalkCost::kByteHops);
        return values_ ? try_grid(grid, WalkCost::kByteLoad) || is_placed : is_placed;
    }

    bool try_grid(const RankGrid& grid, WalkCost walk_cost) {
        constexpr std::size_t kMostEmbeddings = 6;
        bool is_placed = false;
        if (!may_go_on_()) return false;
        for (const GridEmbedding& embedding :
             best_embeddings(problem_, box_, grid, walk_cost, kMostEmbeddings, may_go_on_)) {
            const std::optional<Mapping> placed = place(grid, embedding);
            if (!placed) break;
            is_placed = true;
            std::vector<double> cost = values_ ? values_(*placed) : std::vector{twice_hop_bytes(problem_, *placed)};
            if (best_ && cost >= best_cost_) continue;
            best_ = placed;
            best_cost_ = std::move(cost);
        }
        return is_placed;
    }

    std::optional<Mapping> place(const RankGrid& grid, const GridEmbedding& embedding) const {
        std::vector<NodeId> node_of_rank(static_cast<std::size_t>(problem_.rank_count()));
        std::vector<std::int32_t> ranks_on(static_cast<std::size_t>(problem_.node_count()), 0);
        std::vector<std::int32_t> at(box_.axes().size());
        bool is_complete = true;
        for (std::int32_t r = 0; r < problem_.rank_count(); ++r) {
            NodeId node;
            if (grid.has(RankId(r))) {
                embedding.locate(grid.of(RankId(r)), at);
                node = box_.node(at);
            }
            if (node.valid() && ++ranks_on[node.index()] <= allocation_.slots(node)) {
                node_of_rank[static_cast<std::size_t>(r)] = node;
            } else {
                is_complete = false;
            }
        }
        if (!is_complete) return greedy_placement(problem_, allocation_, node_of_rank, may_go_on_);
        return Mapping::from_nodes(node_of_rank, problem_.node_count(), problem_.ranks_per_node());
    }

    const Problem& problem_;
    const Allocation& allocation_;
    ValuesOfPlacement values_;
    const MayGoOn& may_go_on_;
    MachineBox box_;
    std::optional<Mapping> best_;
    std::vector<double> best_cost_;
};

}  // namespace

std::optional<Mapping> grid_placement(const Problem& problem, const Allocation& allocation, std::uint64_t,
                                      const MayGoOn& may_go_on) {
    return GridStart(problem, allocation, {}, may_go_on).run();
}

std::optional<Mapping> grid_placement_by(const Problem& problem, const Allocation& allocation,
                                         const ValuesOfPlacement& values, const MayGoOn& may_go_on) {
    return GridStart(problem, allocation, values, may_go_on).run();
}

}  // namespace haichi
