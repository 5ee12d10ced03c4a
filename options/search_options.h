#pragma once

#include "mapper/solve/solve.h"
#include "options/option_table.h"

namespace haichi {

/// Declares the options of a search, except its objective, which is a separate argument in Python.
void declare_search(OptionTable& options, MapOptions& map);
/// Declares --objective. `otherwise` describes the default of the command in the help text.
void declare_objective(OptionTable& options, ObjectiveChoice& objective, const std::string& description,
                       const std::string& otherwise);
void declare_then(OptionTable& options, ObjectiveChoice& objective);

}  // namespace haichi
