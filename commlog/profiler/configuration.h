#pragma once

#include <cstddef>
#include <cstdint>

namespace haichi::profiler {

/// The options of the user. Rank 0 reads the options and sends them to all ranks in this layout.
struct Configuration {
    bool is_on, keeps_profile, keeps_calls, keeps_parts, keeps_sites;
    bool has_functions;        ///< true if `functions` restricts the counted functions
    bool has_default_file;     ///< true if the user has not named a file
    char file[1024];           ///< name of the output without its extension
    char functions[1U << 14];  ///< separated by ';', for example "MPI_Send"
    std::uint64_t job;         ///< a number that identifies the job
};

/// Reads HAICHI_PROF and the file that HAICHI_PROF_CONFIG names. Invalid options are reported on stderr and ignored.
void read_configuration(Configuration& configuration);

/// Returns true if a list of function names contains `function`. A name may end in `*`, which matches any remaining
/// characters.
bool names_function(const char* list, const char* function);

}  // namespace haichi::profiler
