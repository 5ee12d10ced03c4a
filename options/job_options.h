#pragma once

#include <initializer_list>
#include <string>

#include "base/outputs.h"
#include "mapper/job/job_spec.h"
#include "mapper/judge/simulate.h"
#include "options/option_table.h"

namespace haichi {

/// What a command asks of a job.
enum class JobUse {
    kMeasure,   ///< messages on links
    kSimulate,  ///< packets: those of --count-nic pass the channels anyhow
    kPlaces,    ///< its nodes only; there is no traffic
    kProgram,   ///< its nodes, on which an MPI program runs
    kShapes,    ///< its machine and traffic: the nodes are what is looked for
    kSpread,    ///< the same, among those listed
};

/// The options that describe a job.
struct JobOptions {
    JobSpec spec{};
    WorkloadFile workload{};

    void declare(OptionTable& options, JobUse use);
    /// The nodes of a job alone, as Python's `haichi.Job` takes them.
    void declare_nodes(OptionTable& options, JobUse use);
    /// The job that the options describe. Throws OptionError where more than one of the job's files and `others` is
    /// standard input, which can be read only once.
    [[nodiscard]] JobSpec job(std::initializer_list<std::string> others = {}) const;
    /// The files that these options name.
    void add_inputs(Outputs& outputs) const;
    /// Throws OptionError where one of the files or of `others` is standard input, which belongs to a program.
    void refuse_standard_input(std::initializer_list<std::string> others) const;

  private:
    void declare_node_lists(OptionTable& options);
    void declare_routing(OptionTable& options);
    void declare_ppn(OptionTable& options);
    [[nodiscard]] std::vector<std::string> files() const;
};

/// --form: what of a log is simulated; with options without which nothing is.
void declare_form(OptionTable& options, TrafficForm& form, std::vector<std::string> needs = {});
/// Keeps the calls of the job's log where they are simulated. Throws OptionError where a message size excludes them.
TrafficForm with_form(TrafficForm form, JobSpec& spec);

/// --threads; 0: all cores.
void declare_threads(OptionTable& options, std::int32_t& threads, const std::string& otherwise);
/// --seed.
void declare_seed(OptionTable& options, std::uint64_t& seed);

}  // namespace haichi
