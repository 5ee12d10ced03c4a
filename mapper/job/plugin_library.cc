#include "mapper/job/plugin_library.h"

#include <dlfcn.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "base/errors.h"
#include "base/mapped_file.h"
#include "include/haichi/plugin.h"
#include "mapper/anneal/bound_objective.h"
#include "mapper/anneal/objective_table.h"
#include "mapper/job/plugin_tag.h"
#include "objectives/plugged_objective.h"

namespace haichi {

namespace {

/// Loads the library after a check of its tag, so that no code of another kind of library runs.
std::shared_ptr<const void> load_plugin(const std::string& file) {
    const SourcePlace place{file, 0};
    // Without a slash, dlopen would search the system's directories instead.
    const std::string path = std::filesystem::absolute(file).string();
    const std::optional<std::string> tag = plugin_tag(MappedFile(file).bytes(), file);
    const std::string expected = plugin::detail::tag().data();
    if (!tag) {
        throw InputError(place, "not a haichi plug-in: it has no note .note.haichi, expected " + shown(expected),
                         "end its source with HAICHI_PLUGIN_OBJECTIVES(...) of <haichi/plugin.h>, and rebuild it");
    }
    if (*tag != expected) {
        throw InputError(place, "built for " + shown(*tag) + ", expected " + shown(expected),
                         "rebuild it with <haichi/plugin.h> of this haichi");
    }
    std::shared_ptr<void> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
        if (handle != nullptr) dlclose(handle);
    });
    if (!library) {
        const char* const why = dlerror();
        throw InputError(place, "cannot load the library: " + shown(why != nullptr ? why : "unknown reason"),
                         "build it on this computer, and install the libraries that it needs");
    }
    return library;
}

/// The table of objectives in the library.
std::span<const plugin::ObjectiveTable* const> plugin_tables(const std::shared_ptr<const void>& library,
                                                             const std::string& file) {
    const void* const found = dlsym(const_cast<void*>(library.get()), "haichi_plugin");
    if (found == nullptr) {
        throw InputError(SourcePlace{file, 0}, "the library does not export the symbol haichi_plugin",
                         "use HAICHI_PLUGIN_OBJECTIVES(...) outside namespaces");
    }
    const auto* const plugin = static_cast<const plugin::Library*>(found);
    return {plugin->objectives, plugin->count};
}

/// An objective of a plug-in, whose failures and invalid values are errors that name the library.
class PluginObjective final : public BoundObjective {
  public:
    PluginObjective(PluginName name, const std::function<std::unique_ptr<BoundObjective>()>& bind)
        : name_(std::move(name)), bound_(guarded(bind)) {}

    [[nodiscard]] ObjectiveInfo info() const override { return bound_->info(); }
    [[nodiscard]] Standing standing(const Mapping& mapping) const override {
        return checked(guarded([&] { return bound_->standing(mapping); }));
    }
    [[nodiscard]] Standing standing(const Mapping& mapping, const Metrics& metrics) const override {
        return checked(guarded([&] { return bound_->standing(mapping, metrics); }));
    }
    [[nodiscard]] SearchResult search(const StartOfRestart& start, const SearchOptions& options,
                                      const SearchControl& control) const override {
        return guarded([&] { return bound_->search(start, options, control); });
    }
    [[nodiscard]] SearchResult search_all(VerifyLevel verify, const SearchControl& control) const override {
        return guarded([&] { return bound_->search_all(verify, control); });
    }

  private:
    [[nodiscard]] InputError error(const std::string& what) const {
        return {SourcePlace{name_.library, 0}, "the objective " + name_.objective + " " + what};
    }
    template <class Call>
    std::invoke_result_t<const Call&> guarded(const Call& call) const {
        try {
            return call();
        } catch (const Error&) {
            throw;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& failure) {
            throw error("failed: " + shown(failure.what()));
        } catch (...) {
            throw error("failed with an exception that is not a std::exception");
        }
    }
    [[nodiscard]] Standing checked(Standing standing) const {
        if (!std::isfinite(standing.value)) throw error("has the value " + std::to_string(standing.value));
        if (!standing.lower_bound) return standing;
        // Sums of floating-point numbers depend on their order.
        constexpr double kRounding = 1e-9;
        const double most = standing.value + kRounding * std::abs(standing.value);
        if (*standing.lower_bound <= most) return standing;
        throw error("has the value " + std::to_string(standing.value) + ", which is below its lower bound");
    }

    PluginName name_;
    std::unique_ptr<BoundObjective> bound_;
};

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
    const std::shared_ptr<const void> library = load_plugin(name.library);
    std::vector<std::string> names;
    for (const plugin::ObjectiveTable* const table : plugin_tables(library, name.library)) {
        names.emplace_back(table->info.name);
        if (names.back() != name.objective) continue;
        const ObjectiveSpec spec{
            .name = name.objective, .then = next, .function = PluggedObjective(*table, library, problem)};
        return std::make_unique<PluginObjective>(
            name, [&] { return bind_function_objective(spec, problem, default_placement); });
    }
    throw OptionError(shown(name.library) + " has no objective " + shown(name.objective),
                      near_or_all(name.objective, names, "its objectives are "));
}

}  // namespace haichi
