#pragma once

#include <string>
#include <vector>

#include "base/outputs.h"
#include "collectives/selection.h"
#include "mapper/judge/simulate.h"
#include "options/option_table.h"

namespace haichi {

/// The options of a simulation, of whatever kind.
struct SimulationArguments {
    SimulationOptions simulation{};
    std::string stats{};    ///< file for what links carry over time; empty: none
    std::string history{};  ///< file for the buffers of a router; empty: none

    /// --barrier, --sim-iterations, and what the calls of a log are replayed with.
    void declare_traffic(OptionTable& options);
    /// Threads, and how much is reported.
    void declare_machine(OptionTable& options);
    /// --stats and --buffer-history.
    void declare_observation(OptionTable& options);
    /// Throws OptionError for options that cannot be combined, once all are read.
    void check(const OptionTable& options);
    /// The files of what is observed.
    void open_streams(Outputs& outputs);
};

/// --hottest.
void declare_hottest(OptionTable& options, std::size_t& links);
/// --collectives of calls.
void declare_collectives(OptionTable& options, collectives::CollectiveSelection& selection);
/// --compute, --compute-factor, --compute-seed, --collectives.
void declare_call_replay(OptionTable& options, CallReplayOptions& calls);

}  // namespace haichi
