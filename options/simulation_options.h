#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/outputs.h"
#include "collectives/selection.h"
#include "mapper/judge/simulate.h"
#include "options/option_table.h"

namespace haichi {

/// The options of any kind of simulation.
struct SimulationArguments {
    SimulationOptions simulation{};
    std::string stats{};    ///< file for the traffic of links over time, or empty
    std::string history{};  ///< file for the buffers of a router, or empty

    /// --form, --barrier, --sim-iterations, and the options of the replay of calls.
    void declare_traffic(OptionTable& options);
    /// --threads, --partitions and --most-loaded.
    void declare_machine(OptionTable& options);
    /// --stats and --buffer-history.
    void declare_observation(OptionTable& options);
    /// Throws OptionError for options that cannot be combined. All options must be read.
    void check(const OptionTable& options);
    /// Opens the files of --stats and --buffer-history.
    void open_streams(Outputs& outputs);
};

/// The options of commands that measure placements and can simulate them as well.
struct MeasuredSimulation {
    bool is_wanted = false;
    SimulationOptions simulation{};

    /// --simulate with its description, and --form, --compute-spread and --compute-spread-seed, which require it.
    void declare(OptionTable& options, const std::string& description);
    /// Empty without --simulate.
    [[nodiscard]] std::optional<SimulationOptions> wanted() const {
        return is_wanted ? std::optional(simulation) : std::nullopt;
    }
};

/// --most-loaded.
void declare_most_loaded(OptionTable& options, std::size_t& links);
/// Whose collectives --collectives selects. Files are only for programs: jobs of a service must not read a file that a
/// word names.
enum class CollectivesUse { kLog, kProgram };
/// --collectives.
void declare_collectives(OptionTable& options, collectives::CollectiveSelection& selection, CollectivesUse use);
/// --compute-spread. Keeps the seed of `imbalance`. It requires one of the options `needs`.
void declare_compute_spread(OptionTable& options, ComputeImbalance& imbalance,
                            const std::vector<std::string>& needs = {}, const std::vector<std::string>& excludes = {});
/// --compute-spread-seed.
void declare_compute_spread_seed(OptionTable& options, ComputeImbalance& imbalance);
/// --compute, --compute-factor, --compute-seed, --collectives.
void declare_call_replay(OptionTable& options, CallReplayOptions& calls);

}  // namespace haichi
