#pragma once

#include <initializer_list>
#include <string>

#include "base/outputs.h"
#include "mapper/job/job_spec.h"
#include "mapper/job/slurm_allocation.h"
#include "mapper/judge/simulate.h"
#include "options/option_table.h"

namespace haichi {

/// The parts of a job that a command needs.
enum class JobUse {
    kMeasure,   ///< nodes and traffic: messages on links
    kSimulate,  ///< nodes and traffic: packets, which pass the channels of nodes even without --count-nic
    kPlaces,    ///< only the nodes
    kProgram,   ///< the nodes, on which an MPI program runs
    kShapes,    ///< machine and traffic, for which the command searches nodes
    kSpread,    ///< as kShapes, but only listed nodes are available
};

/// The options that describe a job.
struct JobOptions {
    JobSpec spec{};
    WorkloadFile workload{};
    bool slurm = false;  ///< the nodes and tasks come from a Slurm job
    SlurmRequest slurm_request{};

    void declare(OptionTable& options, JobUse use);
    /// Declares the options for the nodes of a job, which `haichi.Job` in Python takes.
    void declare_nodes(OptionTable& options, JobUse use);
    /// The job that the options describe. With --slurm, the network is read from Slurm. Throws OptionError if more than
    /// one of the job's files and `others` is standard input, which can be read only once.
    [[nodiscard]] JobSpec job(std::initializer_list<std::string> others = {}) const;
    /// Adds the files that these options name to the inputs.
    void add_inputs(Outputs& outputs) const;
    /// Throws OptionError if one of the job's files or of `others` is standard input, because the program reads
    /// standard input.
    void refuse_standard_input(std::initializer_list<std::string> others) const;

  private:
    void declare_node_lists(OptionTable& options);
    void declare_slurm(OptionTable& options);
    /// Sets the parts of the job that Slurm defines.
    void add_slurm(JobSpec& job) const;
    void declare_routing(OptionTable& options);
    void declare_ppn(OptionTable& options, const char* otherwise);
    void declare_imbalance(OptionTable& options);
    [[nodiscard]] std::vector<std::string> files() const;
};

/// Declares --form, the simulated part of a log. The option requires one of the options `needs`.
void declare_form(OptionTable& options, TrafficForm& form, std::vector<std::string> needs = {});
/// Makes the job keep the calls of its log if these are simulated. Throws OptionError if a message size is set, because
/// calls keep their sizes.
TrafficForm with_form(TrafficForm form, JobSpec& spec);

/// Declares --threads. The value 0 means all cores.
void declare_threads(OptionTable& options, std::int32_t& threads, const std::string& otherwise);
/// Declares --seed.
void declare_seed(OptionTable& options, std::uint64_t& seed);

}  // namespace haichi
