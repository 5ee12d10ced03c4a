#include "mapper/start/grid_embedding.h"

#include <algorithm>
#include <utility>

namespace haichi {

namespace {

/// The bytes between the layers of each axis of the grid. A message between ranks that differ in several coordinates
/// counts on each of these axes.
std::vector<std::vector<LayerBytes>> bytes_along_axes(const Problem& problem, const RankGrid& grid) {
    constexpr std::size_t kMostKept = std::size_t{1} << 20;
    std::vector<std::vector<LayerBytes>> bytes(grid.axis_count());
    std::vector<std::size_t> limit(grid.axis_count(), kMostKept);
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
        if (!grid.has(RankId(r))) continue;
        const auto here = grid.of(RankId(r));
        for (const Flow& flow : problem.flows(RankId(r))) {
            if (flow.partner.value < r || !grid.has(flow.partner)) continue;
            const auto there = grid.of(flow.partner);
            for (std::size_t k = 0; k < here.size(); ++k) {
                if (here[k] != there[k]) bytes[k].push_back({here[k], there[k], flow.size_bytes});
            }
        }
        for (std::size_t k = 0; k < here.size(); ++k) {
            if (bytes[k].size() < limit[k]) continue;
            bytes[k] = summed(std::move(bytes[k]));
            limit[k] = std::max(kMostKept, 2 * bytes[k].size());
        }
    }
    for (auto& each : bytes) each = summed(std::move(each));
    return bytes;
}

std::int32_t divided_up(std::int32_t a, std::int32_t b) { return (a + b - 1) / b; }

/// Enumerates the ways to distribute the axes of the box over the axes of the grid.
class Sharing {
  public:
    Sharing(const Problem& problem, const MachineBox& box, const RankGrid& grid, WalkCost cost, std::size_t most,
            const MayGoOn& may_go_on)
        : axes_(box.axes()),
          cost_(cost),
          most_(most),
          may_go_on_(may_go_on),
          need_(grid.sizes),
          shares_(grid.axis_count()) {
        auto bytes = bytes_along_axes(problem, grid);
        for (std::size_t i = 0; i < grid.axis_count(); ++i) {
            walks_.emplace_back(axes_, grid.sizes[i], std::move(bytes[i]));
        }
        positions_from_.assign(axes_.size() + 1, 1);
        for (std::size_t k = axes_.size(); k-- > 0;) positions_from_[k] = positions_from_[k + 1] * axes_[k].size;
    }

    std::vector<GridEmbedding> run() {
        for (const Cuts cuts : {Cuts::kNone, Cuts::kEven, Cuts::kAll}) {
            constexpr std::size_t kMostVisits = 200'000;
            visits_left_ = kMostVisits;
            cuts_ = cuts;
            share_axis(0);
        }
        return std::move(best_);
    }

  private:
    enum class Cuts : std::uint8_t { kNone, kEven, kAll };

    /// Whether the axes from k on have enough places for the positions still needed.
    [[nodiscard]] bool is_enough_from(std::size_t k) const {
        double needed = 1;
        for (const std::int32_t need : need_) needed *= need;
        return needed <= positions_from_[k];
    }

    void share_axis(std::size_t k) {
        if (visits_left_ == 0 || !is_enough_from(k)) return;
        constexpr std::size_t kBetweenQuestions = 256;
        if (--visits_left_ % kBetweenQuestions == 0 && !may_go_on_()) visits_left_ = 0;
        if (k == axes_.size()) {
            keep_if_good();
        } else {
            share_rest_of_axis(k, 1, 0);
        }
    }

    /// Distributes the rest of axis k of the box. The shares taken so far use its positions below `stride`.
    void share_rest_of_axis(std::size_t k, std::int32_t stride, std::uint32_t taken_by) {
        const std::int32_t left = axes_[k].size / stride;
        bool may_take = false;
        for (std::size_t i = 0; i < need_.size(); ++i) {
            if (need_[i] == 1 || left < 2 || (taken_by >> i & 1) != 0) continue;
            may_take = true;
            const std::int32_t most = std::min(need_[i], left);
            const std::int32_t least = cuts_ == Cuts::kNone ? most : 2;
            for (std::int32_t positions = most; positions >= least; --positions) {
                // A cut is even if it divides the axis or the number of needed positions without remainder.
                const bool is_even = left % positions == 0 || need_[i] % positions == 0;
                if (cuts_ == Cuts::kEven && positions < most && !is_even) continue;
                const std::int32_t need = std::exchange(need_[i], divided_up(need_[i], positions));
                shares_[i].push_back({.axis = k, .positions = positions, .stride = stride});
                if (is_enough_from(k + 1)) share_axis(k + 1);
                if (cuts_ != Cuts::kNone && positions < left) {
                    share_rest_of_axis(k, stride * positions, taken_by | std::uint32_t{1} << i);
                }
                shares_[i].pop_back();
                need_[i] = need;
                if (visits_left_ == 0) return;
            }
        }
        if (!may_take && taken_by == 0) share_axis(k + 1);
    }

    void keep_if_good() {
        const auto key = [](const GridEmbedding& each) { return std::pair(each.byte_load, each.byte_hops); };
        GridEmbedding embedding;
        for (std::size_t i = 0; i < walks_.size(); ++i) {
            const AxisWalk& walk = walks_[i].best(shares_[i], cost_);
            embedding.byte_hops += walk.byte_hops;
            embedding.byte_load += walk.byte_load;
            if (best_.size() == most_ && key(embedding) >= key(best_.back())) return;
        }
        const auto place = std::ranges::lower_bound(best_, key(embedding), {}, key);
        if (place != best_.end() && key(*place) == key(embedding)) return;
        for (std::size_t i = 0; i < walks_.size(); ++i) embedding.walks.push_back(walks_[i].best(shares_[i], cost_));
        best_.insert(place, std::move(embedding));
        if (best_.size() > most_) best_.pop_back();
    }

    const std::vector<PlaceAxis>& axes_;
    WalkCost cost_;
    std::size_t most_;
    const MayGoOn& may_go_on_;
    std::vector<std::int32_t> need_;  ///< per axis of the grid: factor of positions still needed
    std::vector<std::vector<AxisShare>> shares_;
    std::vector<AxisWalks> walks_;
    std::vector<double> positions_from_;  ///< per axis of the box: product of the sizes from this axis on
    std::vector<GridEmbedding> best_;
    Cuts cuts_ = Cuts::kNone;
    std::size_t visits_left_ = 0;
};

}  // namespace

void GridEmbedding::locate(std::span<const std::int32_t> in_grid, std::vector<std::int32_t>& in_box) const {
    std::ranges::fill(in_box, 0);
    for (std::size_t i = 0; i < walks.size(); ++i) {
        const AxisWalk& walk = walks[i];
        const std::size_t first = static_cast<std::size_t>(in_grid[i]) * walk.shares.size();
        for (std::size_t s = 0; s < walk.shares.size(); ++s) {
            in_box[walk.shares[s].axis] += walk.at[first + s] * walk.shares[s].stride;
        }
    }
}

std::vector<GridEmbedding> best_embeddings(const Problem& problem, const MachineBox& box, const RankGrid& grid,
                                           WalkCost cost, std::size_t most, const MayGoOn& may_go_on) {
    return Sharing(problem, box, grid, cost, most, may_go_on).run();
}

}  // namespace haichi
