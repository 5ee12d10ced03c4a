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

/// Advice on how many of its nodes' network interfaces (rails) a run should use.

enum class RailChoice {
    kMore,     ///< as many as there are
    kFewer,    ///< one
    kNumber,   ///< measured: RailAdvice::rails
    kUnknown,  ///< the profile does not decide it
};

/// What speaks for or against more rails, in numbers.
struct RailSigns {
    double mpi_share = 0;        ///< of the ranks' time
    double large_bytes = 0;      ///< share of all bytes in messages that are split between rails; a lower bound
    double small_messages = 0;   ///< share of all messages below kSmallMessageBytes
    double large_time = 0;       ///< share of the MPI time in functions most of whose bytes are in large messages
    double small_time = 0;       ///< share of it in functions nearly all of whose messages are small
    double collective_time = 0;  ///< share of it in collectives
    double spread = 0;           ///< standard deviation of the ranks' MPI time over its mean: scattered timing
    double ranks_per_host = 0;   ///< 0: not known
    std::uint64_t messages = 0;  ///< that the shares are of
};

/// From this size on MVAPICH2 splits a message between rails (MV2_RAIL_SHARING_LARGE_MSG_THRESHOLD, 16 KiB), and others
/// send by rendezvous, which is split.
inline constexpr std::uint64_t kStripedMessageBytes = 1 << 14;
inline constexpr std::uint64_t kSmallMessageBytes = 1 << 10;

/// A run whose number of rails is known.
struct MeasuredRun {
    std::string label;
    std::int32_t processes = 0;
    std::int32_t rails = 0;
    double seconds = 0;
};

struct RailAdvice {
    RailChoice choice = RailChoice::kUnknown;
    std::int32_t processes = 0;
    std::int32_t rails = 0;             ///< of kNumber
    double gain = 1;                    ///< of kNumber: times faster than the fewest rails measured
    std::vector<std::string> reasons;   ///< sentences with numbers
    std::vector<std::string> settings;  ///< as environment variables, n filled in where it is known
};

RailSigns rail_signs(const JobLog& log, const JobTotals& totals);

/// Advice from a profile alone. `library` as the log names it; `interfaces` of a node, 0: not known.
RailAdvice advise_rails(const RailSigns& signs, std::int32_t processes, const std::string& library,
                        std::int32_t interfaces);

/// The same from a log; of the library that it names first.
RailAdvice advise_rails(const JobLog& log, const JobTotals& totals, std::int32_t interfaces);

/// Advice from measured times, one for each number of processes that was run with several numbers of rails, ascending.
/// Of several runs with the same numbers the fastest counts.
std::vector<RailAdvice> advise_rails(std::span<const MeasuredRun> runs, const std::string& library);

/// What the advices together say about larger jobs, or "".
std::string rail_trend(std::span<const RailAdvice> advices);

/// All of it in one sentence.
std::string rail_sentence(std::span<const RailAdvice> advices);

/// How to make the library use `rails` of them; 0 writes n.
std::vector<std::string> rail_settings(const std::string& library, std::int32_t rails);

/// A log and, where it is known, how many network interfaces of each node its run used.
struct RailLog {
    std::string path;
    std::string label;
    std::optional<std::int32_t> rails;
};

/// Everything `haichi advise rails` is asked.
struct RailAdviceRequest {
    std::vector<RailLog> logs;
    std::string format;           ///< of the logs (log_formats()); empty: by their content
    std::int32_t interfaces = 0;  ///< that a node has; 0: not known
};

/// The answer: haichi-advice/1. A value.
struct RailAdviceReport {
    bool is_measured = false;  ///< from times of runs that used different numbers of rails; else from profiles
    std::vector<RailAdvice> advices;
    std::string trend;                  ///< of measured ones: what they say about larger jobs, or ""
    std::vector<std::string> warnings;  ///< of the logs
    std::string sentence;
};

/// From measured times where logs of equal numbers of processes used different numbers of rails; else from the profile
/// of each log. Throws InputError for logs that cannot be read or hold no times, OptionError for no log.
RailAdviceReport run_advise_rails(const RailAdviceRequest& request, const Reading& reading = {});

}  // namespace haichi
