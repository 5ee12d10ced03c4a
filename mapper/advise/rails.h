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
    kUnknown,  ///< the profile does not decide it
};

/// Evidence for or against more rails, as numbers.
struct RailSigns {
    double mpi_share = 0;        ///< fraction of the ranks' time in MPI
    double large_bytes = 0;      ///< fraction of all bytes in messages that are split between rails; a lower bound
    double small_messages = 0;   ///< fraction of all messages below kSmallMessageBytes
    double large_time = 0;       ///< fraction of the MPI time in functions with most of their bytes in large messages
    double small_time = 0;       ///< fraction of the MPI time in functions with nearly only small messages
    double collective_time = 0;  ///< fraction of the MPI time in collectives
    double spread = 0;           ///< standard deviation of the ranks' MPI time over its mean: scattered timing
    double ranks_per_host = 0;   ///< 0 means unknown
    std::uint64_t messages = 0;  ///< number of messages on which the fractions are based
};

/// MVAPICH2 splits messages of at least this size between rails (MV2_RAIL_SHARING_LARGE_MSG_THRESHOLD, 16 KiB). Other
/// libraries send them by rendezvous, which is split.
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
    double gain = 1;                    ///< only for kNumber: how many times faster than the fewest rails measured
    std::vector<std::string> reasons;   ///< sentences with numbers
    std::vector<std::string> settings;  ///< as environment variables, with the number if it is known, else n
};

RailSigns rail_signs(const JobLog& log, const JobTotals& totals);

/// Advice from a profile alone. `library` is the name in the log. `interfaces` is the number of NICs per node, 0 if
/// unknown.
RailAdvice advise_rails(const RailSigns& signs, std::int32_t processes, const std::string& library,
                        std::int32_t interfaces);

/// The same advice from a log, for the first library that the log names.
RailAdvice advise_rails(const JobLog& log, const JobTotals& totals, std::int32_t interfaces);

/// Advice from measured times: one entry, ascending, for each number of processes that was run with several numbers of
/// rails. The fastest of several runs with the same numbers counts.
std::vector<RailAdvice> advise_rails(std::span<const MeasuredRun> runs, const std::string& library);

/// The trend for larger jobs in all advice, or "".
std::string rail_trend(std::span<const RailAdvice> advices);

/// The whole advice in one sentence.
std::string rail_sentence(std::span<const RailAdvice> advices);

/// Settings that make the library use `rails` rails; 0 writes n.
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
    std::vector<std::int32_t> rails;  ///< instead of those of the logs, one for each; or empty
    std::string format;               ///< format of the logs (log_formats()); empty means detection by content
    std::int32_t interfaces = 0;      ///< NICs per node, 0 if unknown
};

/// The answer, format haichi-advice/1. A value type.
struct RailAdviceReport {
    bool is_measured = false;  ///< from runs with different numbers of rails; otherwise from profiles
    std::vector<RailAdvice> advices;
    std::string trend;                  ///< trend for larger jobs from measured runs, or ""
    std::vector<std::string> warnings;  ///< warnings from the logs
    std::string sentence;
};

/// Throws OptionError unless there is a number of NICs for each log, or none.
void check_rails(const std::vector<std::int32_t>& rails, std::size_t logs);

/// Returns the variables of the advised settings for libhaichi-rails, format haichi-rails/1, with a line for each job.
/// Throws OptionError if no job has settings with a number.
std::string rail_file_text(const RailAdviceReport& report);

/// Uses measured times if logs with equal numbers of processes used different numbers of rails; otherwise the profile
/// of each log. Throws InputError for logs that cannot be read or hold no times, and OptionError without a log.
RailAdviceReport run_advise_rails(const RailAdviceRequest& request, const Reading& reading = {});

}  // namespace haichi
