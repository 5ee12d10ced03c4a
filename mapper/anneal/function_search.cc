#include <string>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "mapper/anneal/bound_objective_of.h"
#include "mapper/anneal/objective_table.h"
#include "objectives/function_objective.h"

namespace haichi {

namespace {

/// A user's own objective, which states its description at run time.
class BoundFunction final : public BoundObjective {
  public:
    BoundFunction(const ObjectiveSpec& spec, const Problem& problem, const Mapping& default_placement)
        : plugged_(PluggedObjective::of(spec.function, problem)), bound_(problem, spec, default_placement) {}

    [[nodiscard]] ObjectiveInfo info() const override {
        const plugin::ObjectiveInfo& info = plugged_.table().info;
        return {info.name, info.unit, info.description};
    }
    [[nodiscard]] Standing standing(const Mapping& mapping) const override {
        return with_unit(bound_.standing(mapping));
    }
    [[nodiscard]] Standing standing(const Mapping& mapping, const Metrics& metrics) const override {
        return with_unit(bound_.standing(mapping, metrics));
    }
    [[nodiscard]] SearchResult search(const StartOfRestart& start, const SearchOptions& options,
                                      const SearchControl& control) const override {
        return verified([&] { return bound_.search(start, options, with_name(control)); });
    }
    [[nodiscard]] SearchResult search_all(VerifyLevel verify, const SearchControl& control) const override {
        return verified([&] { return bound_.search_all(verify, with_name(control)); });
    }

  private:
    [[nodiscard]] Standing with_unit(Standing standing) const {
        if (plugged_.table().is_real != 0 || !is_counted(info().unit)) {
            standing.counted_value.reset();
            standing.counted_lower_bound.reset();
        }
        return standing;
    }
    /// Runs `search`. Reports differing values (VerifyLevel) as an error of the user's objective.
    template <class Search>
    [[nodiscard]] SearchResult verified(Search&& search) const {
        const std::string_view name = FunctionObjective::kInfo.name;
        try {
            return search();
        } catch (const InternalError& error) {
            const std::string_view text = error.what();
            if (!text.starts_with(name)) throw;
            throw InputError("objective " + std::string(info().name).append(text.substr(name.size())),
                             "make propose() and rollback() agree with value_from_scratch()");
        }
    }
    [[nodiscard]] SearchControl with_name(SearchControl control) const {
        if (control.progress) {
            control.progress = [name = info().name, report = control.progress](SearchProgress progress) {
                progress.objective = name;
                report(progress);
            };
        }
        return control;
    }

    PluggedObjective plugged_;  // declared before the search, because it keeps the code of the objective loaded
    BoundObjectiveOf<FunctionObjective> bound_;
};

}  // namespace

std::unique_ptr<BoundObjective> bind_function_objective(const ObjectiveSpec& spec, const Problem& problem,
                                                        const Mapping& default_placement) {
    return std::make_unique<BoundFunction>(spec, problem, default_placement);
}

}  // namespace haichi
