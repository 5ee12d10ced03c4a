#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "objectives/objective.h"

namespace haichi {

/// How a robust placement is evaluated over the possible allocations.
enum class RobustMeasure { kMax, kMean };

/// One possible allocation of a job: its problem, and its slot for every slot of the first allocation.
struct RobustVariant {
    const Problem* problem = nullptr;
    std::vector<SlotId> slot_of_slot;
};

/// The allocations of a robust search. The first belongs to the searched problem. All have the same number of slots,
/// and corresponding slots have the same position in their jobs' rank orders.
struct RobustJob {
    RobustMeasure measure = RobustMeasure::kMax;
    std::vector<RobustVariant> variants;
};

/// Converts a mapping to the corresponding slots of a variant.
inline Mapping translated(const RobustVariant& variant, const Mapping& mapping) {
    Mapping there(mapping.rank_count(), variant.problem->node_count(), variant.problem->ranks_per_node());
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        there.place(RankId(r), variant.slot_of_slot[mapping.slot(RankId(r)).index()]);
    }
    return there;
}

/// Any objective on several allocations at once: its largest value, or the sum of its values, reported as their mean.
/// The problem must have a robust_job(). The cost is O(variants) times the cost of the objective.
template <SearchObjective O>
class Robust {
  public:
    using Value = typename O::Value;
    static constexpr ObjectiveInfo kInfo = O::kInfo;

    Robust(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement)
        : job_(problem.robust_job()) {
        for (const RobustVariant& variant : job_->variants) {
            parts_.emplace_back(*variant.problem, spec, translated(variant, default_placement));
        }
    }

    void reset(const Mapping& mapping) {
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            parts_[k].mapping = translated(job_->variants[k], mapping);
            parts_[k].objective.reset(parts_[k].mapping);
        }
        value_ = combined([](const Part& part) { return part.objective.value(); });
    }

    Change propose(const Mapping&, const Move& move) {
        value_before_ = value_;
        Change sum;
        double all_values_moved = 0;
        double all_changes = 0;
        double largest_fall = 0;
        double largest_rise = 0;
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            Part& part = parts_[k];
            translate(job_->variants[k], move, part);
            const Value before = part.objective.value();
            const Change change = part.objective.propose(part.mapping, part.move);
            sum.value += change.value;
            sum.smoothing += change.smoothing;
            all_values_moved += std::abs(difference(part.objective.value(), before));
            all_changes += std::abs(change.value);
            // Finds the change of the maximum in the unit of changes. It is the change of a part that is the maximum
            // before or after the move.
            if (before == value_before_ || !(part.objective.value() < value_before_)) {
                largest_rise = std::max(largest_rise, change.value);
                largest_fall = std::min(largest_fall, change.value);
            }
        }
        value_ = combined([](const Part& part) { return part.objective.value(); });
        const double per_variant = 1.0 / static_cast<double>(parts_.size());
        if (job_->measure == RobustMeasure::kMean) {
            // Does not use sum.value, because some objectives state changes relative to the problem's default
            // placement. The units of the parts then differ, and their sum may rise while the value falls.
            const double unit = all_values_moved > 0 ? all_changes / all_values_moved : 0;
            return {difference(value_, value_before_) * unit * per_variant, sum.smoothing * per_variant};
        }
        // The maximum ignores the other parts. Their mean is therefore part of the smoothing term. With this weight,
        // the mean counts as much as the maximum if the search has its default smoothing weight of 0.1. On three shapes
        // of the TAC3 paper this finds contention-free placements, while the maximum alone stays one above.
        constexpr double kMeanInSmoothing = 10;
        const double smoothing = (kMeanInSmoothing * sum.value + sum.smoothing) * per_variant;
        if (value_before_ < value_) return {largest_rise, smoothing};
        if (value_ < value_before_) return {largest_fall, smoothing};
        return {0, smoothing};
    }
    void commit() {
        for (Part& part : parts_) {
            part.objective.commit();
            part.mapping.apply(part.move);
        }
    }
    void rollback() {
        for (Part& part : parts_) part.objective.rollback();
        value_ = value_before_;
    }

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t smoothing() const {
        std::int64_t sum = 0;
        for (const Part& part : parts_) sum += part.objective.smoothing();
        return sum;
    }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const {
        std::size_t k = 0;
        return combined([&](const Part& part) {
            return part.objective.value_from_scratch(translated(job_->variants[k++], mapping));
        });
    }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping& mapping) const {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            sum += parts_[k].objective.smoothing_from_scratch(translated(job_->variants[k], mapping));
        }
        return sum;
    }
    /// The largest of the parts' bounds, or their sum.
    [[nodiscard]] std::optional<Value> lower_bound() const {
        for (const Part& part : parts_) {
            if (!part.objective.lower_bound()) return std::nullopt;
        }
        return combined([](const Part& part) { return *part.objective.lower_bound(); });
    }
    [[nodiscard]] double in_unit(Value value) const {
        const double all = parts_.front().objective.in_unit(value);
        return job_->measure == RobustMeasure::kMax ? all : all / static_cast<double>(parts_.size());
    }
    /// Hot ranks of the allocations with the largest value.
    void append_hot_ranks(const Mapping&, std::vector<RankId>& ranks) const {
        for (const Part& part : parts_) {
            const bool counts = job_->measure == RobustMeasure::kMean || part.objective.value() == value_;
            if (counts) part.objective.append_hot_ranks(part.mapping, ranks);
        }
    }

  private:
    struct Part {
        Part(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement)
            : objective(problem, spec, default_placement) {}

        O objective;
        Mapping mapping;
        Move move;  ///< the proposed move in this part's slots
    };

    static void translate(const RobustVariant& variant, const Move& move, Part& part) {
        part.move.clear();
        for (const Relocation& r : move) {
            const SlotId from = variant.slot_of_slot[r.from_slot.index()];
            const SlotId to = variant.slot_of_slot[r.to_slot.index()];
            part.move.push_back({r.rank, from, to, part.mapping.node_of_slot(from), part.mapping.node_of_slot(to)});
        }
    }

    /// The difference of values whose type may be unsigned.
    static double difference(Value after, Value before) {
        return after < before ? -static_cast<double>(before - after) : static_cast<double>(after - before);
    }

    template <class ValueOf>
    [[nodiscard]] Value combined(ValueOf&& value_of) const {
        Value all{};
        for (const Part& part : parts_) {
            const Value value = value_of(part);
            all = job_->measure == RobustMeasure::kMax ? std::max(all, value) : all + value;
        }
        return all;
    }

    const RobustJob* job_;
    std::deque<Part> parts_;  ///< a deque, because objectives need not be movable
    Value value_{};
    Value value_before_{};
};

}  // namespace haichi
