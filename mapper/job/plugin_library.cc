#include "mapper/job/plugin_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "base/errors.h"
#include "mapper/anneal/plugin.h"

namespace haichi {

namespace {

using Library = std::shared_ptr<void>;

/// The plug-in's objective with the library that holds its code.
class PluginObjective : public BoundObjective {
  public:
    PluginObjective(Library library, std::unique_ptr<BoundObjective> objective)
        : library_(std::move(library)), objective_(std::move(objective)) {}

    [[nodiscard]] ObjectiveInfo info() const override { return objective_->info(); }
    [[nodiscard]] Standing standing(const Mapping& mapping) const override { return objective_->standing(mapping); }
    [[nodiscard]] Standing standing(const Mapping& mapping, const Metrics& metrics) const override {
        return objective_->standing(mapping, metrics);
    }
    [[nodiscard]] SearchResult search(const StartOfRestart& start, const SearchOptions& options,
                                      const SearchControl& control) const override {
        return objective_->search(start, options, control);
    }
    [[nodiscard]] SearchResult search_all(VerifyLevel verify, const SearchControl& control) const override {
        return objective_->search_all(verify, control);
    }

  private:
    Library library_;  // before the objective, whose destructor is in the library
    std::unique_ptr<BoundObjective> objective_;
};

template <class Function>
Function* symbol(const Library& library, const std::string& file, const char* name) {
    void* const found = dlsym(library.get(), name);
    if (found == nullptr) {
        throw InputError(SourcePlace{file, 0}, std::string("is not a haichi plug-in, because it lacks ") + name,
                         "end its source with HAICHI_PLUGIN_OBJECTIVES(...)");
    }
    return reinterpret_cast<Function*>(found);
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const auto comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

std::optional<PluginName> parse_plugin_name(std::string_view text) {
    constexpr std::string_view kSuffix = ".so";
    const auto at = text.rfind(kSuffix);
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t end = at + kSuffix.size();
    if (end == text.size() || (text[end] == ':' && end + 1 == text.size())) {
        throw OptionError("objective " + shown(text) + " requires the name of an objective in the library",
                          "write " + std::string(text.substr(0, end)) + ":NAME");
    }
    if (text[end] != ':') return std::nullopt;
    return PluginName{std::string(text.substr(0, end)), std::string(text.substr(end + 1))};
}

std::unique_ptr<BoundObjective> bind_plugin_objective(const PluginName& name, const std::vector<NextObjective>& next,
                                                      const Problem& problem, const Mapping& default_placement) {
    // Without a slash, dlopen would search the system's directories instead.
    const std::string path = std::filesystem::absolute(name.library).string();
    const Library library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
        if (handle != nullptr) dlclose(handle);
    });
    if (!library) {
        const char* const why = dlerror();
        throw InputError(SourcePlace{name.library, 0},
                         "cannot load the library: " + shown(why != nullptr ? why : "unknown reason"));
    }
    const std::string abi = symbol<const char*()>(library, name.library, "haichi_plugin_abi")();
    if (abi != kPluginAbi) {
        throw InputError(SourcePlace{name.library, 0},
                         "was built for " + shown(abi) + ", but this is " + shown(kPluginAbi),
                         "rebuild it with this haichi and its compiler");
    }
    const std::string names = symbol<const char*()>(library, name.library, "haichi_plugin_objectives")();
    using Bind = BoundObjective*(const ObjectiveSpec*, const Problem*, const Mapping*);
    const ObjectiveSpec spec{.name = name.objective, .then = next};
    std::unique_ptr<BoundObjective> bound(
        symbol<Bind>(library, name.library, "haichi_plugin_bind")(&spec, &problem, &default_placement));
    if (!bound) {
        const std::string near = did_you_mean(name.objective, split(names));
        throw OptionError(shown(name.library) + " has no objective " + shown(name.objective),
                          near.empty() ? "use one of " + names : near);
    }
    return std::make_unique<PluginObjective>(library, std::move(bound));
}

}  // namespace haichi
