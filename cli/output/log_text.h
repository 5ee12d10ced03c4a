#pragma once

#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// The message sizes of one kind of messages.
struct Histogram {
    std::string name;  ///< such as "messages sent"
    MessageStatistics messages;
};

/// One histogram for each kind of messages that occurs. Only functions with complete sizes are included.
std::vector<Histogram> size_histograms(const JobTotals& totals);

/// The output of `log show`: header, functions, sizes, most active pairs and balance. With `all_ranks`, it also has a
/// line for each rank.
std::string log_text(const JobLog& log, const JobTotals& totals, const std::string& file, bool all_ranks);

}  // namespace haichi::cli
