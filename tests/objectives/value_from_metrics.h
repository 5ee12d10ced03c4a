#pragma once

#include <algorithm>
#include <deque>

#include "objectives/metrics.h"
#include "objectives/objective.h"
#include "objectives/robust.h"

namespace haichi::testing_problems {

/// An objective's value computed from known metrics, on every allocation that it considers, if it has such a shortcut.
template <class O>
class ValueFromMetrics {
  public:
    static constexpr bool kExists = requires(const O& o, const Metrics& m) { o.value_in(m); }
    || requires(const O& o, const Mapping& p, const Metrics& m) { o.value_in(p, m); };

    ValueFromMetrics(const Problem& problem, const ObjectiveSpec&, const Mapping&, const O& objective)
        : problem_(&problem), objective_(&objective) {}
    [[nodiscard]] bool is_of_another_topology() const { return is_searched_elsewhere(*objective_); }
    typename O::Value operator()(const Mapping& mapping) const {
        return value_with(*objective_, mapping, measure(*problem_, mapping));
    }

  private:
    const Problem* problem_;
    const O* objective_;
};

template <class O>
class ValueFromMetrics<Robust<O>> {
  public:
    static constexpr bool kExists = ValueFromMetrics<O>::kExists;

    ValueFromMetrics(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement,
                     const Robust<O>&)
        : job_(problem.robust_job()) {
        for (const RobustVariant& variant : job_->variants) {
            objectives_.emplace_back(*variant.problem, spec, translated(variant, default_placement));
        }
    }
    [[nodiscard]] bool is_of_another_topology() const { return is_searched_elsewhere(objectives_.front()); }
    typename O::Value operator()(const Mapping& mapping) const {
        typename O::Value all{};
        for (std::size_t k = 0; k < objectives_.size(); ++k) {
            const RobustVariant& variant = job_->variants[k];
            const Mapping there = translated(variant, mapping);
            const auto value = value_with(objectives_[k], there, measure(*variant.problem, there));
            all = job_->measure == RobustMeasure::kMax ? std::max(all, value) : all + value;
        }
        return all;
    }

  private:
    const RobustJob* job_;
    std::deque<O> objectives_;
};

}  // namespace haichi::testing_problems
