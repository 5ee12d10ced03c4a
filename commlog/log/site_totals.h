#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/log/job_log.h"

namespace haichi {

/// Calls of one kind over all ranks.
struct CallTotals {
    std::int32_t ranks = 0;  ///< that made them
    std::uint64_t calls = 0;
    double seconds_total = 0, seconds_min = 0, seconds_max = 0;  ///< of one call the least and the most
    std::uint64_t sent_bytes = 0, received_bytes = 0;

    [[nodiscard]] double seconds_mean() const { return calls == 0 ? 0 : seconds_total / static_cast<double>(calls); }
};

/// A function called from one place of the program, whatever the communicator and the region.
struct CallSiteTotals {
    Module module;
    std::uint64_t offset = 0;  ///< in the module's file, to which the calls return
    std::string function;
    CallTotals totals;
};

/// Whether the log says where its calls come from.
bool has_call_sites(const JobLog& log);

/// Most time first.
std::vector<CallSiteTotals> call_site_totals(const JobLog& log);

/// Of one function.
struct FunctionCalls {
    std::string function;
    CallTotals totals;
};

/// Where all of a communicator's processes call an operation that none can leave before all have entered it, a rank
/// waits for the others at least as long as it spends longer in all these calls than the rank that spends least, and at
/// most as long as all its calls take longer than the shortest call of any rank. Only of operations that all members
/// have called equally often.
struct Waiting {
    double at_least = 0, at_most = 0;  ///< seconds, all ranks together
    double of_seconds = 0;             ///< that these operations have taken
};

struct CommunicatorTotals {
    std::uint32_t communicator = 0;  ///< of JobLog::communicators; kUnknownCommunicator, kNoCommunicator
    CallTotals totals;
    std::vector<FunctionCalls> functions;  ///< most time first
    Waiting waiting;
};

/// Most time first; calls that are on no communicator last.
std::vector<CommunicatorTotals> communicator_totals(const JobLog& log);

struct RegionTotals {
    std::string name;  ///< empty: outside of all regions
    std::int32_t ranks = 0;
    std::uint64_t entries = 0;
    double seconds = 0;  ///< of all ranks, the regions inside included
    /// Calls made in the region, not in one inside it.
    CallTotals totals;
    std::vector<FunctionCalls> functions;  ///< most time first
};

/// In the order of their names, what is outside of them last; nothing where a job has none.
std::vector<RegionTotals> region_totals(const JobLog& log);

}  // namespace haichi
