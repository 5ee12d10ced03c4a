#include "mapper/anneal/bound_objective.h"

#include "objectives/registry.h"

namespace haichi {

std::unique_ptr<BoundObjective> bind_objective(const ObjectiveSpec& spec, const Problem& problem,
                                               const Mapping& default_placement) {
    std::unique_ptr<BoundObjective> bound;
    visit_objective(spec, [&](auto tag) {
        bound = std::make_unique<BoundObjectiveOf<typename decltype(tag)::type>>(problem, spec, default_placement);
    });
    return bound;
}

}  // namespace haichi
