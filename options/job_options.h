#pragma once

#include <initializer_list>
#include <string>

#include "base/outputs.h"
#include "mapper/job/job_spec.h"
#include "mapper/job/slurm_allocation.h"
#include "mapper/judge/simulate.h"
#include "options/option_table.h"

namespace haichi {

/// The parts of a job that a command uses.
enum class JobUse {
    kMeasure,   ///< messages on links
    kSimulate,  ///< packets, which pass the channels of nodes also without --count-nic
    kPlaces,    ///< its nodes, without traffic
    kProgram,   ///< its nodes, on which an MPI program runs
    kShapes,    ///< its machine and traffic, for which the command searches nodes
    kSpread,    ///< the same, where only listed nodes are available
};

/// The options that describe a job.
struct JobOptions {
    JobSpec spec{};
    WorkloadFile workload{};
    bool slurm = false;  ///< the nodes and tasks come from a Slurm job
    SlurmRequest slurm_request{};

    void declare(OptionTable& options, JobUse use);
    /// Only the nodes of a job, which Python's `haichi.Job` takes.
    void declare_nodes(OptionTable& options, JobUse use);
    /// The job that the options describe. With --slurm it reads the network from Slurm. Throws OptionError if more than
    /// one of the job's files and `others` is standard input, which can be read only once.
    [[nodiscard]] JobSpec job(std::initializer_list<std::string> others = {}) const;
    /// The files that these options name.
    void add_inputs(Outputs& outputs) const;
    /// Throws OptionError if one of the files or of `others` is standard input, which the program reads.
    void refuse_standard_input(std::initializer_list<std::string> others) const;

  private:
    void declare_node_lists(OptionTable& options);
    void declare_slurm(OptionTable& options);
    /// Fills the parts of the job that Slurm states.
    void add_slurm(JobSpec& job) const;
    void declare_routing(OptionTable& options);
    void declare_ppn(OptionTable& options);
    void declare_imbalance(OptionTable& options);
    [[nodiscard]] std::vector<std::string> files() const;
};

/// --form, the simulated part of a log. It requires one of the options `needs`.
void declare_form(OptionTable& options, TrafficForm& form, std::vector<std::string> needs = {});
/// Keeps the calls of the job's log if they are simulated. Throws OptionError if a message size excludes them.
TrafficForm with_form(TrafficForm form, JobSpec& spec);

/// --threads, where 0 means all cores.
void declare_threads(OptionTable& options, std::int32_t& threads, const std::string& otherwise);
/// --seed.
void declare_seed(OptionTable& options, std::uint64_t& seed);

}  // namespace haichi
