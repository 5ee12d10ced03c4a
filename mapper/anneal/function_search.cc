#include "mapper/anneal/bound_objective_of.h"
#include "mapper/anneal/objective_table.h"
#include "objectives/function_objective.h"

namespace haichi {

std::unique_ptr<BoundObjective> bind_function_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                        const Mapping& default_placement) {
    return std::make_unique<BoundObjectiveOf<FunctionObjective>>(problem, spec, default_placement);
}

}  // namespace haichi
