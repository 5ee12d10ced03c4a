#pragma once

#include <string_view>
#include <vector>

#include "commlog/readers/log_readers.h"

namespace haichi {

/// The readers for logs of other tools. A null pointer means that this build has no reader for the format.
struct TraceReaders {
    LogReader otf2 = nullptr;
    LogReader dumpi = nullptr;
    LogReader tit = nullptr;
    LogReader goal = nullptr;
    LogReader monitoring = nullptr;
    LogReader mpip = nullptr;
    LogReader ipm = nullptr;
    LogReader paraver = nullptr;
};
/// A program is linked either with commlog/traces or with its replacement (haichi_traces_absent); both define this
/// function.
TraceReaders trace_readers();

/// Returns the entries of log_formats() for logs of other tools. Every build has the names of these formats and
/// recognises their files.
std::vector<LogFormat> trace_formats();

/// Returns true if the file is the index of a time-independent trace, whose lines are names of files with the ranks'
/// actions.
bool is_tit_index(std::string_view prefix);
/// Returns true if the file is IPM's XML report; IPM also prints a banner.
bool is_ipm_xml(std::string_view prefix);

}  // namespace haichi
