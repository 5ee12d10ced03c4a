#pragma once

#include <string>
#include <vector>

#include "cli/output/console.h"
#include "mapper/job/placement.h"
#include "mapper/rankmap/rankmap.h"
#include "options/option_table.h"

namespace haichi::cli {

/// The options --map and --format for a rank map to read.
struct RankMapInput {
    std::string map{};
    const RankMapFormat* format = nullptr;  ///< null if the format is detected from the content

    void declare(OptionTable& options, const std::string& description, bool is_required);
    [[nodiscard]] std::string format_name() const { return format == nullptr ? "" : format->name; }
};
/// Declares the option --format. It is the format of the rank map of --map if `is_read`, or else of the written rank
/// map.
void declare_map_format(OptionTable& options, const RankMapFormat*& format, const std::string& otherwise, bool is_read);

/// The placement that --map describes, or the default placement of the job without --map.
Placement map_or_default(const Job& job, const RankMapInput& map);

/// Prints the warnings about a machine that will be simulated. Throws the errors that the simulation would throw.
void say_about_simulated(const Machine& machine, Console& console);
/// Prints warnings about the sets of a log, from LoadedTraffic::warnings().
void say_about_sets(const std::vector<std::string>& warnings, Console& console);
/// Declares --launcher and --cores-per-rank. --launcher cannot be combined with the options in `excludes`.
void declare_launcher(OptionTable& options, const RankMapFormat*& launcher, std::int32_t& cores_per_rank,
                      std::vector<std::string> excludes, bool is_local);
/// Prints the warnings about a map that was written to `file`, and the lines for a job script of `launcher`.
void say_about_map(const RankMapFormat& launcher, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console);

}  // namespace haichi::cli
