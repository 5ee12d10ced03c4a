#include "objectives/rmatt.h"

#include <algorithm>
#include <memory>

#include "base/errors.h"
#include "objectives/metrics.h"

namespace haichi {

Rmatt::Rmatt(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement)
    : problem_(&problem), hop_bytes_(problem, spec, default_placement), loads_(problem) {
    double usual_load = 0;
    if (default_placement.rank_count() > 0) {
        usual_load = static_cast<double>(measure(problem, default_placement).max_link_bytes);
    }
    if (SlicedCollisions::suits(problem, Counted::kAllSetsTogether)) {
        sliced_.emplace(problem, Counted::kAllSetsTogether);
    }
    per_message_ = 1.0 / (problem.mean_message_bytes() * std::max(usual_load, problem.mean_message_bytes()));
}

void Rmatt::reset(const Mapping& mapping) {
    hop_bytes_.reset(mapping);
    if (sliced_) return sliced_->reset(mapping);
    loads_.reset(mapping);
}

Change Rmatt::propose(const Mapping& mapping, const Move& move) {
    const Value before = value();
    hop_bytes_.propose(mapping, move);
    if (sliced_) {
        sliced_->propose(mapping, move);
    } else {
        loads_.apply(mapping, move);
    }
    const Value after = value();
    const double size = static_cast<double>(after > before ? after - before : before - after);
    return {(after > before ? size : -size) * per_message_, 0};
}

Rmatt::Value Rmatt::value_from_scratch(const Mapping& mapping) const { return measure(*problem_, mapping).rmatt(); }

std::optional<Rmatt::Value> Rmatt::lower_bound() const {
    return product(hop_bytes_.lower_bound().value_or(0), loads_.floor());
}

void Rmatt::append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
    if (!sliced_) return loads_.append_hot_ranks(mapping, ranks);
    append_ranks_over_links(*problem_, mapping, ranks,
                            [&](LinkId link) { return sliced_->count(0, link) == sliced_->largest(0); });
}

namespace {

std::shared_ptr<const Problem> logical_problem(const Problem& problem) {
    if (problem.logical_network() == nullptr) {
        throw UnsupportedError("objective rmatt-3d requires a machine with logical axes",
                               "use rmatt, or a mesh or torus machine");
    }
    const auto logical =
        std::make_shared<Problem>(problem.workload(), *problem.logical_network(), problem.ranks_per_node());
    logical->set_slice_kernel(problem.slice_kernel());
    return logical;
}

}  // namespace

Rmatt3d::Rmatt3d(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement)
    : Rmatt3d(logical_problem(problem), spec, default_placement) {}

Rmatt3d::Rmatt3d(std::shared_ptr<const Problem> logical, const ObjectiveSpec& spec, const Mapping& default_placement)
    : Rmatt(*logical, spec, default_placement), logical_(std::move(logical)) {}

}  // namespace haichi
