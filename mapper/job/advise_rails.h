#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reading.h"
#include "mapper/advise/rails.h"

namespace haichi {

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
