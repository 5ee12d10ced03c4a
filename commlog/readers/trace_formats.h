#pragma once

#include <string_view>
#include <vector>

#include "commlog/readers/log_readers.h"

namespace haichi {

/// The readers of other tools' logs. Null means that this build has no reader for the format.
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
/// A program links either commlog/traces or its replacement (haichi_traces_absent), which define this function.
TraceReaders trace_readers();

/// The entries of log_formats() for other tools. Every build knows the names and recognises the files.
std::vector<LogFormat> trace_formats();

/// Returns whether the file is a time-independent trace whose lines are the names of the ranks' files.
bool is_tit_index(std::string_view prefix);
/// Returns whether the file is an XML report of IPM, as opposed to its banner.
bool is_ipm_xml(std::string_view prefix);

}  // namespace haichi
