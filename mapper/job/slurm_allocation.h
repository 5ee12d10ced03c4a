#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/machine/machine.h"

namespace haichi {

/// The value of an environment variable, if it is set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
/// The environment of this process.
Environment process_environment();

/// The nodes and tasks that a user states instead of the variables of a job.
struct SlurmRequest {
    std::string nodelist{};                        ///< empty for the job in whose environment haichi runs
    std::optional<std::int32_t> ntasks{};          ///< empty for the job's tasks
    std::optional<std::int32_t> ranks_per_node{};  ///< empty for the job's tasks per node
};

/// The nodes of a Slurm job, in the order of its node list, and the tasks that it can start on them.
struct SlurmAllocation {
    std::vector<std::string> nodes;
    std::optional<std::int32_t> ntasks;         ///< empty if not stated
    std::vector<std::int32_t> slots;            ///< rank slots of each node
    std::optional<std::int32_t> cpus_per_task;  ///< empty if not stated
};

/// Reads the request. Without a node list in it, reads the variables of the job: SLURM_JOB_NODELIST (or
/// SLURM_NODELIST), SLURM_NTASKS (or SLURM_NPROCS), SLURM_TASKS_PER_NODE, SLURM_NTASKS_PER_NODE, SLURM_CPUS_PER_TASK
/// and SLURM_JOB_CPUS_PER_NODE. Throws OptionError without a node list, and InputError for malformed variables. Throws
/// UnsupportedError if the CPUs do not suffice for the requested tasks.
SlurmAllocation slurm_allocation(const SlurmRequest& request, const Environment& environment);

/// The network of the job's nodes as Slurm states it. The first source is `scontrol show topology`. The next ones are
/// topology.yaml and topology.conf in the directory of SLURM_CONF or a usual one. The last source is the variable
/// SLURM_TOPOLOGY_ADDR of each node, collected with srun. Throws OptionError if no source names switches.
MachineSource slurm_network(const SlurmAllocation& job, const Environment& environment);

/// Expands Slurm's "4(x3),2" to 4, 4, 4, 2. Throws InputError at the variable `name`.
std::vector<std::int32_t> repeated_counts(std::string_view text, const std::string& name, std::size_t nodes);

/// A topology.conf from lines "NODE ADDRESS PATTERN" with the variables SLURMD_NODENAME, SLURM_TOPOLOGY_ADDR and
/// SLURM_TOPOLOGY_ADDR_PATTERN of every node. Empty if they name no switch.
std::string topology_of_addresses(std::string_view lines);

}  // namespace haichi
