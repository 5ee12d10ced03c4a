#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// Totals of some calls over all ranks.
struct CallTotals {
    std::int32_t ranks = 0;  ///< number of ranks that made these calls
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;  ///< min and max are times of single calls
    std::uint64_t sent_bytes = 0, received_bytes = 0;

    [[nodiscard]] double seconds_mean() const { return calls == 0 ? 0 : seconds_total / static_cast<double>(calls); }
};

/// Totals of one function's calls from one call site, on any communicator and in any region.
struct CallSiteTotals {
    Module module;
    std::uint64_t offset = 0;  ///< return address as an offset in the module's file
    std::string function;
    CallTotals totals;
};

/// Returns true if the log has call sites.
bool has_call_sites(const JobLog& log);

/// Returns totals sorted by time, longest first.
std::vector<CallSiteTotals> call_site_totals(const JobLog& log);

/// The totals of one function's calls.
struct FunctionCalls {
    std::string function;
    CallTotals totals;
};

/// Bounds on the time that ranks wait in operations that none of the processes leaves before all have entered. Lower
/// bound for a rank: its total time in these calls minus the smallest such total of any rank. Upper bound for a rank:
/// its total time minus, for each call, the time of the shortest call of any rank. The bounds cover only operations
/// that all members have called equally often.
struct Waiting {
    double at_least = 0, at_most = 0;  ///< seconds, summed over all ranks
    double of_seconds = 0;             ///< total time of these operations
};

struct CommunicatorTotals {
    std::uint32_t communicator = 0;  ///< index in JobLog::communicators, kUnknownCommunicator or kNoCommunicator
    CallTotals totals;
    std::vector<FunctionCalls> functions;  ///< sorted by time, longest first
    Waiting waiting;
};

/// Returns totals sorted by time, longest first. Calls without a communicator come last.
std::vector<CommunicatorTotals> communicator_totals(const JobLog& log);

struct RegionTotals {
    std::string name;  ///< empty for calls outside all regions
    std::int32_t ranks = 0;
    std::uint64_t entries = 0;
    double seconds = 0;  ///< summed over all ranks; includes nested regions
    /// Totals of calls made in the region itself, without nested regions.
    CallTotals totals;
    std::vector<FunctionCalls> functions;  ///< sorted by time, longest first
};

/// Returns totals sorted by name; calls outside all regions come last. The result is empty if the job has no regions.
std::vector<RegionTotals> region_totals(const JobLog& log);

}  // namespace haichi
