#pragma once

#include <haichi/export.h>
#include <haichi/plugin.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

HAICHI_BEGIN

/// The objective that a search minimizes.
class Objective {
  public:
    /// A function of the node of every rank. Several threads call it. It must return equal values for equal nodes.
    using Function = std::function<double(std::span<const std::int32_t> node_of_rank)>;

    /// Selects the objective that suits the traffic.
    Objective() = default;
    /// Selects an objective of `haichi list objectives`, a weighted sum such as "weighted(tac3=0.7,hop-bytes=0.3)", or
    /// an objective of a plug-in, such as "./libmine.so:far".
    Objective(std::string name)
        : name_(std::move(name)) {}               // NOLINT(google-explicit-constructor): as in {.objective = "tac3"}
    Objective(const char* name) : name_(name) {}  // NOLINT(google-explicit-constructor)
    Objective(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}
    /// The objective of a plug-in class that is compiled into this program.
    template <plugin::UserObjective O>
    static Objective of() {
        Objective objective(O::kInfo.name);
        objective.table_ = &plugin::table_of<O>();
        return objective;
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const Function& function() const { return function_; }
    [[nodiscard]] const plugin::ObjectiveTable* table() const { return table_; }

  private:
    std::string name_ = "auto";
    Function function_{};
    const plugin::ObjectiveTable* table_ = nullptr;
};

/// A built-in objective.
struct ObjectiveDescription {
    std::string name{};
    std::string unit{};
    std::string description{};  ///< one sentence that contains the formula
};
HAICHI_EXPORT std::vector<ObjectiveDescription> objectives();

HAICHI_END
