#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "mapper/search/progress_meter.h"
#include "mapper/search/search_options.h"
#include "mapper/search/search_result.h"
#include "objectives/objective.h"

namespace haichi {

/// Maximum number of placements of an exhaustive search: the placements of ten ranks on ten slots.
constexpr std::int64_t kMostPlacements = 3'628'800;

/// The number of ways to assign distinct usable slots to the communicating ranks. Empty if it exceeds kMostPlacements.
std::optional<std::int64_t> placement_count(const Problem& problem);

/// Evaluates every placement of the communicating ranks on nodes. Each placement is one move from the previous one.
/// This search is the reference for all other searches. If several placements are best, the first wins. The search ends
/// early at the lower bound. The result is optimal unless the search was interrupted.
template <SearchObjective O>
class ExhaustiveSearch {
  public:
    /// Throws OptionError when there are too many placements.
    ExhaustiveSearch(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement,
                     VerifyLevel verify, const SearchControl& control)
        : problem_(problem),
          objective_(problem, spec, default_placement),
          verify_(verify),
          control_(control),
          mapping_(default_placement),
          is_fixed_(static_cast<std::size_t>(problem.rank_count())),
          bound_(objective_.lower_bound()),
          meter_(control, O::kInfo.name, 1, false) {
        if (bound_) meter_.set_bound(objective_.in_unit(*bound_));
        const auto count = placement_count(problem);
        if (!count) {
            throw OptionError("exhaustive search supports at most " + std::to_string(kMostPlacements) +
                                  " placements; this job has more",
                              "use §strategy anneal, or at most 10 ranks on 10 rank slots");
        }
        placements_ = *count;
    }

    SearchResult run() {
        const auto start = std::chrono::steady_clock::now();
        objective_.reset(mapping_);
        best_ = mapping_;
        best_value_ = objective_.value();
        if (!at_bound()) place_from(0);
        SearchResult found;
        found.mapping = best_;
        found.value = objective_.in_unit(best_value_);
        if (bound_) found.lower_bound = objective_.in_unit(*bound_);
        found.optimal = !stopped_;
        found.evaluations = evaluations_;
        found.loop_seconds = seconds_since(start);
        found.interrupted = stopped_;
        return found;
    }

  private:
    [[nodiscard]] bool at_bound() const { return bound_ && !(*bound_ < best_value_); }

    /// Tries every node for the communicating rank with index `first`, and recursively for the ranks after it. Returns
    /// false to stop.
    bool place_from(std::size_t first) {
        if (first == problem_.communicating_ranks().size()) return look();
        const RankId rank = problem_.communicating_ranks()[first];
        is_fixed_[rank.index()] = 1;
        const SlotId home = mapping_.slot(rank);
        bool goes_on = true;
        for (std::int32_t node = 0; node < problem_.node_count() && goes_on; ++node) {
            if (!problem_.network().is_usable(NodeId(node))) continue;
            const std::optional<SlotId> slot =
                mapping_.node(rank) == NodeId(node) ? mapping_.slot(rank) : free_slot(NodeId(node));
            if (!slot) continue;
            make(move_to_slot(mapping_, rank, *slot));
            goes_on = place_from(first + 1);
            make(move_to_slot(mapping_, rank, home));
        }
        is_fixed_[rank.index()] = 0;
        return goes_on;
    }

    /// A slot of the node that no fixed rank occupies. Slots of one node are equivalent.
    [[nodiscard]] std::optional<SlotId> free_slot(NodeId node) const {
        const std::int32_t first = node.value * problem_.ranks_per_node();
        for (std::int32_t slot = first; slot < first + problem_.open_slots(node); ++slot) {
            const RankId holder = mapping_.rank(SlotId(slot));
            if (!holder.valid() || is_fixed_[holder.index()] == 0) return SlotId(slot);
        }
        return std::nullopt;
    }

    void make(const Move& move) {
        if (move.empty()) return;
        objective_.propose(mapping_, move);
        objective_.commit();
        mapping_.apply(move);
        ++evaluations_;
        if (verify_ == VerifyLevel::kStep && objective_.value() != objective_.value_from_scratch(mapping_)) {
            throw InternalError(std::string(O::kInfo.name) + ": incremental value " +
                                std::to_string(objective_.in_unit(objective_.value())) + ", full evaluation " +
                                std::to_string(objective_.in_unit(objective_.value_from_scratch(mapping_))));
        }
    }

    bool look() {
        ++looked_at_;
        if (objective_.value() < best_value_) {
            best_value_ = objective_.value();
            best_ = mapping_;
        }
        constexpr std::int64_t kPeriod = 4096;
        if (looked_at_ % kPeriod == 0) {
            meter_.count(evaluations_ - counted_);
            counted_ = evaluations_;
            meter_.report(static_cast<double>(looked_at_) / static_cast<double>(placements_), 0,
                          objective_.in_unit(best_value_), false, [this] { return best_; });
            stopped_ = control_.stop != nullptr && control_.stop->load();
        }
        return !stopped_ && !at_bound();
    }

    const Problem& problem_;
    O objective_;
    VerifyLevel verify_;
    const SearchControl& control_;
    Mapping mapping_;
    std::vector<std::uint8_t> is_fixed_;  ///< per rank: placed at an outer level of the recursion
    std::optional<typename O::Value> bound_;
    ProgressMeter meter_;
    std::int64_t placements_ = 0;
    std::int64_t looked_at_ = 0;
    std::int64_t evaluations_ = 0;
    std::int64_t counted_ = 0;  ///< number of evaluations that the meter has counted
    bool stopped_ = false;
    Mapping best_;
    typename O::Value best_value_{};
};

}  // namespace haichi
