#pragma once

#include <string>
#include <vector>

#include "cli/output/console.h"
#include "mapper/job/placement.h"
#include "mapper/rankmap/rankmap.h"
#include "options/option_table.h"

namespace haichi::cli {

/// --map and --format of a rank map that is read.
struct RankMapInput {
    std::string map{};
    const RankMapFormat* format = nullptr;  ///< null: recognised by the content

    void declare(OptionTable& options, const std::string& description, bool is_required);
    [[nodiscard]] std::string format_name() const { return format == nullptr ? "" : format->name; }
};
/// --format, the format of the rank map of --map if `is_read`, else of the written rank map.
void declare_map_format(OptionTable& options, const RankMapFormat*& format, const std::string& otherwise, bool is_read);

/// The placement of --map, or the job's default placement.
Placement map_or_default(const Job& job, const RankMapInput& map);

/// Prints the warnings about a machine that will be simulated. Throws the errors that its simulation would throw.
void say_about_simulated(const Machine& machine, Console& console);
/// Prints the warnings about the sets of a log, which are those of LoadedTraffic::warnings().
void say_about_sets(const std::vector<std::string>& warnings, Console& console);
/// --launcher, which `excludes` the options that it cannot be combined with, and --cores-per-rank.
void declare_launcher(OptionTable& options, const RankMapFormat*& launcher, std::int32_t& cores_per_rank,
                      std::vector<std::string> excludes, bool is_local);
/// Prints the warnings about a map that was written to `file`, and the lines for the job script of `launcher`.
void say_about_map(const RankMapFormat& launcher, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console);

}  // namespace haichi::cli
