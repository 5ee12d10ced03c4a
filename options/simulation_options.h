#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/outputs.h"
#include "collectives/selection.h"
#include "mapper/judge/simulate.h"
#include "options/option_table.h"

namespace haichi {

/// The options of a simulation of any kind.
struct SimulationArguments {
    SimulationOptions simulation{};
    std::string stats{};    ///< file for the link traffic over time; empty for none
    std::string history{};  ///< file for the buffers of a router; empty for none

    /// Declares --form, --barrier, --sim-iterations, and the call-replay options.
    void declare_traffic(OptionTable& options);
    /// Declares --threads, --partitions and --most-loaded.
    void declare_machine(OptionTable& options);
    /// Declares --stats and --buffer-history.
    void declare_observation(OptionTable& options);
    /// Throws OptionError for options that cannot be combined. Call this after all options are read.
    void check(const OptionTable& options);
    /// Opens the files of --stats and --buffer-history.
    void open_streams(Outputs& outputs);
};

/// The options of commands that evaluate placements and can also simulate them.
struct MeasuredSimulation {
    bool is_wanted = false;
    SimulationOptions simulation{};

    /// Declares --simulate with its description. Also declares --form, --compute-spread and --compute-spread-seed,
    /// which require --simulate.
    void declare(OptionTable& options, const std::string& description);
    /// The options of the simulation; empty without --simulate.
    [[nodiscard]] std::optional<SimulationOptions> wanted() const {
        return is_wanted ? std::optional(simulation) : std::nullopt;
    }
};

/// Declares --most-loaded.
void declare_most_loaded(OptionTable& options, std::size_t& links);
/// The calls to which --collectives applies. The value may name a file only for a program, because jobs of a service
/// must not read a file that a word names.
enum class CollectivesUse { kLog, kProgram };
/// Declares --collectives.
void declare_collectives(OptionTable& options, collectives::CollectiveSelection& selection, CollectivesUse use);
/// Declares --compute-spread, which does not change the seed of `imbalance`. The option requires one of the options
/// `needs`.
void declare_compute_spread(OptionTable& options, ComputeImbalance& imbalance,
                            const std::vector<std::string>& needs = {}, const std::vector<std::string>& excludes = {});
/// Declares --compute-spread-seed.
void declare_compute_spread_seed(OptionTable& options, ComputeImbalance& imbalance);
/// Declares --compute, --compute-factor, --compute-seed and --collectives.
void declare_call_replay(OptionTable& options, CallReplayOptions& calls);

}  // namespace haichi
