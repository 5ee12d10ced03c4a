#pragma once

#include <initializer_list>
#include <string>

#include "cli/command_outputs.h"
#include "cli/commands/option_table.h"
#include "cli/output/console.h"
#include "mapper/job/job_spec.h"
#include "mapper/job/placement.h"
#include "mapper/judge/simulate.h"
#include "mapper/rankmap/rankmap.h"

namespace haichi::cli {

/// What a command asks of a job.
enum class JobUse {
    kMeasure,   ///< messages on links
    kSimulate,  ///< packets: those of --count-nic pass the channels anyhow
    kPlaces,    ///< its nodes only; there is no traffic
    kShapes,    ///< its machine and traffic: the nodes are what is looked for
    kSpread,    ///< the same, among those listed
};

/// The options that say what a job is, as written.
struct JobOptions {
    std::string machine;
    std::string workload;
    std::string workload_format;
    std::string message_size;
    std::string shape;
    std::string nodes;
    std::string faulty;
    std::string origin;
    std::string ranks_per_node;
    std::string routing;
    std::string fold;
    std::string hosts;
    bool count_nic = false;

    void declare(OptionTable& options, JobUse use);
    /// The job, whose options are those of `use`. Throws OptionError, also where the machine or the workload is
    /// missing, and where more than one of the job's files and `others` is standard input, which can be read only once.
    [[nodiscard]] JobSpec spec(JobUse use, std::initializer_list<std::string> others = {}) const;
    /// The same of a program that runs live. `ranks` 0: as many as the nodes take. Throws OptionError also for options
    /// of workloads.
    [[nodiscard]] JobSpec program_spec(std::int32_t ranks, std::initializer_list<std::string> others,
                                       const Reading& reading) const;
    /// The files that these options name.
    void add_inputs(Outputs& outputs) const;

  private:
    void declare_nodes(OptionTable& options, JobUse use);
    void declare_node_lists(OptionTable& options);
    [[nodiscard]] Traffic traffic() const;
    [[nodiscard]] AllocationRequest allocation() const;
    void check_standard_input(std::initializer_list<std::string> others) const;
};

/// --as: what of a log is simulated.
void add_traffic_form(OptionTable& options, std::string& form);
/// The choice; tells the job to keep the calls where they may be simulated. Throws OptionError.
TrafficForm read_traffic_form(const std::string& form, const JobOptions& job, JobSpec& spec);

/// --format of a --map that need not be given. Throws OptionError.
void check_map_format(const std::string& map, const std::string& format);
/// What --map names, or the job's default placement.
Placement map_or_default(const Job& job, const std::string& map, const std::string& format);

/// Says what a user has to know before the machine is simulated. Throws what a simulation of it would throw.
void say_about_simulated(const Machine& machine, Console& console);

/// Says what a user has to know about the sets of a log: LoadedTraffic::warnings().
void say_about_sets(const std::vector<std::string>& warnings, Console& console);
/// Says what a user has to know about a map that was written to `file`: the lines for the job script, warnings.
void say_about_map(const RankMapFormat& format, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console);

}  // namespace haichi::cli
