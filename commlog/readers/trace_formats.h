#pragma once

#include <string_view>
#include <vector>

#include "commlog/readers/log_readers.h"

namespace haichi {

/// The readers of other tools' logs; null: this build has none for that format.
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
/// A program links either commlog/traces or its stand-in (haichi_traces_absent), which define this.
TraceReaders trace_readers();

/// Their rows of log_formats(). Every build knows the names and recognises the files.
std::vector<LogFormat> trace_formats();

/// A time-independent trace whose lines are the names of the ranks' files.
bool is_tit_index(std::string_view prefix);
/// A report of IPM as XML, not its banner.
bool is_ipm_xml(std::string_view prefix);

}  // namespace haichi
