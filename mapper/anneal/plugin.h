#pragma once

#include <string>
#include <string_view>

#include "mapper/anneal/bound_objective_of.h"

// Objectives in shared libraries. A plug-in is one source file with a class that satisfies SearchObjective. The file
// ends with HAICHI_PLUGIN_OBJECTIVES(MyObjective), as in examples/plugin_objective. The annealing loop is compiled into
// the plug-in for its objective, so it is as fast as for objectives of the table.

namespace haichi {

/// Changes whenever older plug-ins become incompatible, because both sides share C++ types.
inline constexpr const char* kPluginAbi = "haichi-plugin/3 " __VERSION__;

template <SearchObjective... O>
BoundObjective* bind_plugin_objective(const ObjectiveSpec& spec, const Problem& problem,
                                      const Mapping& default_placement) {
    BoundObjective* bound = nullptr;
    ((bound = bound == nullptr && spec.name == O::kInfo.name ? new BoundObjectiveOf<O>(problem, spec, default_placement)
                                                             : bound),
     ...);
    return bound;
}

template <SearchObjective... O>
const char* plugin_objective_names() {
    static const std::string kNames = [] {
        std::string names;
        ((names += (names.empty() ? "" : ",") + std::string(O::kInfo.name)), ...);
        return names;
    }();
    return kNames.c_str();
}

}  // namespace haichi

/// The symbols that haichi loads from the library. Use it once per library, outside namespaces.
#define HAICHI_PLUGIN_OBJECTIVES(...)                                                                                  \
    extern "C" const char* haichi_plugin_abi() { return haichi::kPluginAbi; }                                          \
    extern "C" const char* haichi_plugin_objectives() { return haichi::plugin_objective_names<__VA_ARGS__>(); }        \
    extern "C" haichi::BoundObjective* haichi_plugin_bind(                                                             \
        const haichi::ObjectiveSpec* spec, const haichi::Problem* problem, const haichi::Mapping* default_placement) { \
        return haichi::bind_plugin_objective<__VA_ARGS__>(*spec, *problem, *default_placement);                        \
    }
