#pragma once

#include <cstddef>
#include <cstdint>

namespace haichi::profiler {

/// What the user has asked for: read by rank 0, then sent to all, as it lies in memory.
struct Configuration {
    bool is_on, keeps_profile, keeps_calls, keeps_parts, keeps_sites;
    bool has_functions;        ///< `functions` names those to be counted
    bool has_default_file;     ///< the user has named none
    char file[1024];           ///< name of the output without its ending
    char functions[1U << 14];  ///< separated by ';', "MPI_Send"
    std::uint64_t job;         ///< a number for this job
};

/// From HAICHI_PROF and the file that HAICHI_PROF_CONFIG names. What is wrong there is told on stderr, and left out.
void read_configuration(Configuration& configuration);

/// Whether a list of function names holds this one; `*` at a name's end stands for any rest.
bool names_function(const char* list, const char* function);

}  // namespace haichi::profiler
