#pragma once

#include "mapper/solve/solve.h"
#include "options/option_table.h"

namespace haichi {

/// The options of a search but its objective, which Python takes as an argument of its own.
void declare_search(OptionTable& options, MapOptions& map);
/// --objective and --then. `otherwise` is the default of the command in words.
void declare_objective(OptionTable& options, ObjectiveChoice& objective, const std::string& description,
                       const std::string& otherwise);
void declare_then(OptionTable& options, ObjectiveChoice& objective);

}  // namespace haichi
