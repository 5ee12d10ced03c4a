#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/reading.h"
#include "commlog/log/job_log.h"
#include "commlog/log/job_totals.h"

namespace haichi {

/// Advice on how many NICs (rails) of each node a run should use.

enum class RailChoice {
    kMore,     ///< all NICs of the node
    kFewer,    ///< one NIC
    kNumber,   ///< a measured number, RailAdvice::rails
    kUnknown,  ///< the profile does not decide the number
};

/// Numbers that are evidence for or against more rails.
struct RailSigns {
    double mpi_share = 0;        ///< fraction of the ranks' time in MPI
    double large_bytes = 0;      ///< fraction of all bytes in messages that are split between rails; a lower bound
    double small_messages = 0;   ///< fraction of all messages below kSmallMessageBytes
    double large_time = 0;       ///< fraction of the MPI time in functions that move most bytes in large messages
    double small_time = 0;       ///< fraction of the MPI time in functions with nearly only small messages
    double collective_time = 0;  ///< fraction of the MPI time in collectives
    double spread = 0;           ///< standard deviation of the ranks' MPI time, divided by the mean
    double ranks_per_host = 0;   ///< 0 means unknown
    std::uint64_t messages = 0;  ///< number of messages on which the fractions are based
};

/// MVAPICH2 splits messages of at least this size between rails (MV2_RAIL_SHARING_LARGE_MSG_THRESHOLD, 16 KiB). Other
/// libraries send messages of this size by rendezvous, and split those between rails.
inline constexpr std::uint64_t kStripedMessageBytes = 1 << 14;
inline constexpr std::uint64_t kSmallMessageBytes = 1 << 10;

/// A run with a known number of rails.
struct MeasuredRun {
    std::string label;
    std::int32_t processes = 0;
    std::int32_t rails = 0;
    double seconds = 0;
};

struct RailAdvice {
    RailChoice choice = RailChoice::kUnknown;
    std::int32_t processes = 0;
    std::int32_t nodes = 0;             ///< hosts of the log, or 0 if unknown
    std::int32_t rails = 0;             ///< only for kNumber
    double gain = 1;                    ///< only for kNumber: speedup over the run with the fewest rails
    std::vector<std::string> reasons;   ///< sentences with numbers
    std::vector<std::string> settings;  ///< environment variables; an unknown number is written as n
};

RailSigns rail_signs(const JobLog& log, const JobTotals& totals);

/// Advice from a profile alone. `library` is the name in the log. `interfaces` is the number of NICs per node, 0 if
/// unknown.
RailAdvice advise_rails(const RailSigns& signs, std::int32_t processes, const std::string& library,
                        std::int32_t interfaces);

/// Advice from a log alone, for the first library that the log names.
RailAdvice advise_rails(const JobLog& log, const JobTotals& totals, std::int32_t interfaces);

/// Advice from measured times. Each number of processes that was run with several numbers of rails has an entry, in
/// ascending order. If several runs have the same numbers of processes and rails, the fastest counts.
std::vector<RailAdvice> advise_rails(std::span<const MeasuredRun> runs, const std::string& library);

/// A sentence on how the advice changes with the size of the job, or "".
std::string rail_trend(std::span<const RailAdvice> advices);

/// The whole advice in one sentence.
std::string rail_sentence(std::span<const RailAdvice> advices);

/// Settings that make the library use `rails` rails. For 0, they contain n instead of a number.
std::vector<std::string> rail_settings(const std::string& library, std::int32_t rails);

inline constexpr std::int32_t kMostRails = 1000;

/// A log and, if known, the number of NICs of each node that its run used.
struct RailLog {
    std::string path;
    std::string label;
    std::optional<std::int32_t> rails;
};

/// The input of `haichi advise rails`.
struct RailAdviceRequest {
    std::vector<RailLog> logs;
    std::vector<std::int32_t> rails;  ///< number of rails per log, which replaces RailLog::rails; may be empty
    std::string format;               ///< format of the logs (log_formats()); empty means detection by content
    std::int32_t interfaces = 0;      ///< NICs per node, 0 if unknown
};

/// The answer on rails, written as haichi-advice/1. A value type.
struct RailAdviceReport {
    bool is_measured = false;  ///< true if based on runs with different numbers of rails; otherwise on profiles
    std::vector<RailAdvice> advices;
    std::string trend;                  ///< rail_trend() of measured runs, or ""
    std::vector<std::string> warnings;  ///< warnings from the logs
    std::string sentence;
};

/// Throws OptionError unless `rails` is empty or has an entry for each log.
void check_rails(const std::vector<std::int32_t>& rails, std::size_t logs);

/// Returns the advised settings in the format haichi-rails/1, which libhaichi-rails reads. The text has one line for
/// each job. Throws OptionError if no job has settings with a number.
std::string rail_file_text(const RailAdviceReport& report);

/// Bases the advice on measured times if logs with equal numbers of processes used different numbers of rails.
/// Otherwise, uses the profile of each log. Throws InputError for logs that cannot be read or hold no times, and
/// OptionError without a log.
RailAdviceReport run_advise_rails(const RailAdviceRequest& request, const Reading& reading = {});

}  // namespace haichi
