#pragma once

#include <cstdint>
#include <string>

#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// A log without its order, as a workload of one set.
struct CommunicationMatrix {
    /// One message per pair of ranks with all its bytes, sorted by source and destination. Puts go to the target, and
    /// gets come from it.
    Workload workload;
    std::uint64_t pairs_from_receivers = 0;  ///< pairs known only from the receiver
    std::uint64_t one_sided_bytes = 0;       ///< bytes of one-sided operations in the matrix
};

/// Throws InputError naming `file` if the log has no messages, or more bytes than a workload can hold.
CommunicationMatrix communication_matrix(const JobLog& log, const std::string& file);

}  // namespace haichi
