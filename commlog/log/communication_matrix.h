#pragma once

#include <cstdint>
#include <string>

#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// The traffic of a log without its order, as a workload with a single set.
struct CommunicationMatrix {
    /// There is one message per pair of ranks, with all its bytes; messages are sorted by source and destination. Puts
    /// count as messages to the target, gets as messages from the target.
    Workload workload;
    std::uint64_t pairs_from_receivers = 0;  ///< number of pairs that only the receiver's data contain
    std::uint64_t one_sided_bytes = 0;       ///< bytes of one-sided operations in the matrix
};

/// Throws InputError naming `file` if the log has no messages, or more bytes than a workload can hold.
CommunicationMatrix communication_matrix(const JobLog& log, const std::string& file);

}  // namespace haichi
