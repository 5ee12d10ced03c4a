#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mapper/anneal/bound_objective.h"

namespace haichi {

/// "./libfar.so:far": an objective in a shared library (include/haichi/plugin.h).
struct PluginName {
    std::string library;
    std::string objective;
};

/// Parses the name. Returns nothing if the text names no shared library. Throws OptionError when the objective's name
/// is missing.
std::optional<PluginName> parse_plugin_name(std::string_view text);

/// Makes the objective of the library on this problem. The object keeps the library loaded. `next` is the tie-breaking
/// order. Loading a library runs its code, so name only trusted libraries.
///
/// Throws InputError naming the file if it cannot be loaded, or if its tag is missing or differs. The tag is read
/// before any code of the library runs. Throws OptionError with a did-you-mean hint for an unknown objective.
std::unique_ptr<BoundObjective> bind_plugin_objective(const PluginName& name, const std::vector<NextObjective>& next,
                                                      const Problem& problem, const Mapping& default_placement);

}  // namespace haichi
