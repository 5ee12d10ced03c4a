#pragma once

#include <string>
#include <vector>

#include "cli/output/console.h"
#include "mapper/job/placement.h"
#include "mapper/rankmap/rankmap.h"
#include "options/option_table.h"

namespace haichi::cli {

/// --map and --format: a rank map that is read.
struct RankMapInput {
    std::string map{};
    std::string format{};

    void declare(OptionTable& options, const std::string& description, bool is_required);
};
/// --format: a format of rank maps, whose name is checked at once. The map is read (with --map), or else written.
void declare_map_format(OptionTable& options, std::string& format, const std::string& otherwise, bool is_read);

/// What --map names, or the job's default placement.
Placement map_or_default(const Job& job, const RankMapInput& map);

/// Prints what a user has to know before the machine is simulated. Throws what a simulation of it would throw.
void say_about_simulated(const Machine& machine, Console& console);
/// Prints what a user has to know about the sets of a log: LoadedTraffic::warnings().
void say_about_sets(const std::vector<std::string>& warnings, Console& console);
/// Prints what a user has to know about a map that was written to `file`: the lines for the job script, warnings.
void say_about_map(const RankMapFormat& format, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console);

}  // namespace haichi::cli
