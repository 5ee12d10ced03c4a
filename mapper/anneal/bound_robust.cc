#include "mapper/anneal/bound_objective.h"
#include "objectives/registry.h"
#include "objectives/robust.h"

namespace haichi {

std::unique_ptr<BoundObjective> bind_robust_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                      const Mapping& default_placement) {
    std::unique_ptr<BoundObjective> bound;
    visit_objective(spec, [&](auto tag) {
        using O = Robust<typename decltype(tag)::type>;
        bound = std::make_unique<BoundObjectiveOf<O>>(problem, spec, default_placement);
    });
    return bound;
}

}  // namespace haichi
