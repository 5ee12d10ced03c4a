#pragma once

#include <cstdint>
#include <string>

#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// A log without its order, as a workload of one set.
struct CommunicationMatrix {
    Workload workload;  ///< one message per pair of ranks with all its bytes, sorted by source and destination
    std::uint64_t pairs_from_receivers = 0;  ///< pairs known only from the receiver
};

/// Throws InputError naming `file` if the log has no messages, or more bytes than a workload can hold.
CommunicationMatrix communication_matrix(const JobLog& log, const std::string& file);

}  // namespace haichi
