#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mapper/anneal/bound_objective.h"

namespace haichi {

/// "./libfar.so:far": an objective in a shared library (mapper/anneal/plugin.h).
struct PluginName {
    std::string library;
    std::string objective;
};

/// Nothing when the text names no shared library. Throws OptionError when the objective's name is missing.
std::optional<PluginName> parse_plugin_name(std::string_view text);

/// The objective of the library on this problem; keeps the library loaded. Throws InputError naming the file when it
/// cannot be loaded, is no plug-in or was built for another haichi, OptionError with did-you-mean for an objective that
/// it does not have. Loading a library runs its code: name only libraries that you trust.
/// `next` decides between its ties.
std::unique_ptr<BoundObjective> bind_plugin_objective(const PluginName& name, const std::vector<NextObjective>& next,
                                                      const Problem& problem, const Mapping& default_placement);

}  // namespace haichi
