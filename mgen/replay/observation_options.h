#pragma once

#include <cstdint>
#include <iosfwd>

namespace haichi {

/// Optional output that a simulation writes while it runs. Streams must outlive the run. Output does not change
/// results.
struct ObservationOptions {
    std::ostream* time_space = nullptr;  ///< TimeSpaceStatistics, in bins of bin_ps
    std::int64_t bin_ps = 100'000'000;
    std::ostream* history = nullptr;  ///< BufferHistory of `router`, from history_begin_ps to history_end_ps
    std::int32_t router = 0;          ///< vertex number
    std::int64_t history_begin_ps = 0;
    std::int64_t history_end_ps = 0;  ///< 0 for the end of the run
    std::int64_t interval_ps = 10'000'000;
};

}  // namespace haichi
