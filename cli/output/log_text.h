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

/// The histograms with messages, from functions with complete sizes.
std::vector<Histogram> size_histograms(const JobTotals& totals);

/// The output of `log show`: header, functions, sizes, most active pairs and balance. With `all_ranks` it also has a
/// line for each rank.
std::string log_text(const JobLog& log, const JobTotals& totals, const std::string& file, bool all_ranks);

}  // namespace haichi::cli
