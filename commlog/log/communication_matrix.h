#pragma once

#include <cstdint>
#include <string>

#include "commlog/log/job_log.h"
#include "commlog/workload/workload.h"

namespace haichi {

/// A log without its order: a workload of one set.
struct CommunicationMatrix {
    Workload workload;  ///< a message for each pair of ranks, of all its bytes, by source and destination
    std::uint64_t pairs_from_receivers = 0;  ///< known only from the side of the receiver
};

/// Throws InputError, naming `file`, when the log knows of no message, or of more bytes than a workload can hold.
CommunicationMatrix communication_matrix(const JobLog& log, const std::string& file);

}  // namespace haichi
