#pragma once

#include <cstdint>
#include <iosfwd>

namespace haichi {

/// What a simulation writes down while it runs, on request. Streams must outlive the run; none of it changes a result.
struct ObservationOptions {
    std::ostream* time_space = nullptr;  ///< TimeSpaceStatistics, in bins of bin_ps
    std::int64_t bin_ps = 100'000'000;
    std::ostream* history = nullptr;  ///< BufferHistory of `router`, from history_begin_ps to history_end_ps
    std::int32_t router = 0;          ///< number of the vertex
    std::int64_t history_begin_ps = 0;
    std::int64_t history_end_ps = 0;  ///< 0: the end of the run
    std::int64_t interval_ps = 10'000'000;
};

}  // namespace haichi
