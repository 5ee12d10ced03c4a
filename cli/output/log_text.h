#pragma once

#include <string>
#include <vector>

#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi::cli {

/// Sizes of messages of one kind.
struct Histogram {
    std::string name;  ///< "messages sent"
    MessageStatistics messages;
};

/// Those that have messages; of functions whose sizes are all known.
std::vector<Histogram> size_histograms(const JobTotals& totals);

/// What `log show` prints: header, functions, sizes, busiest pairs, balance; with `all_ranks` a line for each.
std::string log_text(const JobLog& log, const JobTotals& totals, const std::string& file, bool all_ranks);

}  // namespace haichi::cli
