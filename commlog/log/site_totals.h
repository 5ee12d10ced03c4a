#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// Calls of one kind over all ranks.
struct CallTotals {
    std::int32_t ranks = 0;  ///< ranks that made them
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;  ///< min and max are for one call
    std::uint64_t sent_bytes = 0, received_bytes = 0;

    [[nodiscard]] double seconds_mean() const { return calls == 0 ? 0 : seconds_total / static_cast<double>(calls); }
};

/// Calls of a function from one call site, on any communicator and in any region.
struct CallSiteTotals {
    Module module;
    std::uint64_t offset = 0;  ///< return address in the module's file
    std::string function;
    CallTotals totals;
};

/// Returns whether the log states the call sites.
bool has_call_sites(const JobLog& log);

/// Sorted by time, longest first.
std::vector<CallSiteTotals> call_site_totals(const JobLog& log);

/// Calls of one function.
struct FunctionCalls {
    std::string function;
    CallTotals totals;
};

/// Bounds on the time that ranks wait in operations that no process leaves before all have entered. A rank waits at
/// least as long as its time in all these calls exceeds the smallest such time of any rank. It waits at most as long as
/// its calls exceed the shortest call of any rank, in sum. Only operations that all members have called equally often
/// count.
struct Waiting {
    double at_least = 0, at_most = 0;  ///< seconds, sum over all ranks
    double of_seconds = 0;             ///< total time of these operations
};

struct CommunicatorTotals {
    std::uint32_t communicator = 0;  ///< index in JobLog::communicators, kUnknownCommunicator or kNoCommunicator
    CallTotals totals;
    std::vector<FunctionCalls> functions;  ///< sorted by time, longest first
    Waiting waiting;
};

/// Sorted by time, longest first. Calls without a communicator are last.
std::vector<CommunicatorTotals> communicator_totals(const JobLog& log);

struct RegionTotals {
    std::string name;  ///< empty: outside all regions
    std::int32_t ranks = 0;
    std::uint64_t entries = 0;
    double seconds = 0;  ///< sum over all ranks, nested regions included
    /// Calls made in the region but not in a nested one.
    CallTotals totals;
    std::vector<FunctionCalls> functions;  ///< sorted by time, longest first
};

/// Sorted by name, with the calls outside all regions last. Empty if the job has no regions.
std::vector<RegionTotals> region_totals(const JobLog& log);

}  // namespace haichi
