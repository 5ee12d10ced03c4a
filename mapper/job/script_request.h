#pragma once

#include <cstdint>
#include <string>

#include "mapper/rankmap/job_script.h"
#include "netmodel/machine/allocation.h"

namespace haichi {

/// Reads a PJM job script. Throws InputError for the first error in it.
JobScript read_job_script(const std::string& path);

/// Whether all jobs with as many nodes as the script requests are tori. The script must have a node request.
bool has_only_tori(const JobScript& script, const Machine& machine);

/// "torus", "mesh" or "noncont": the kind that the script requests, or the default of its machine and resource group.
/// Fugaku's default is noncont up to 384 nodes, unless the resource group has only torus jobs.
std::string allocation_kind(const JobScript& script, const Machine& machine);

/// Adds the nodes, the ranks per node and the kind of job that the script states to the request. Throws InputError for
/// parts of the request that contradict the script, naming both, and for nodes that the machine does not have.
AllocationRequest with_job_script(AllocationRequest request, const JobScript& script, const Machine& machine);

/// Throws InputError if the script's job has a different number of nodes or does not start this number of ranks.
void check_against_script(const JobScript& script, const Allocation& allocation, std::int32_t rank_count);

}  // namespace haichi
