#pragma once

#include <string>
#include <string_view>

#include "commlog/readers/log_readers.h"

namespace haichi {

/// The readers that trace_readers() names, one in each format's file. They throw InputError with file and line (or
/// offset).
JobLog read_dumpi(const std::string& path, ReadProgress& progress);
JobLog read_tit(const std::string& path, ReadProgress& progress);
JobLog read_goal(const std::string& path, ReadProgress& progress);
JobLog read_monitoring(const std::string& path, ReadProgress& progress);
JobLog read_mpip(const std::string& path, ReadProgress& progress);
JobLog read_ipm(const std::string& path, ReadProgress& progress);
JobLog read_paraver(const std::string& path, ReadProgress& progress);
/// Null where haichi is built without the library of OTF2.
LogReader otf2_reader();

/// The same from a text in memory, alone where a format has a file per rank; `file` names it in errors. For tests.
JobLog parse_dumpi(std::string_view text, const std::string& file);
JobLog parse_tit(std::string_view text, const std::string& file);
JobLog parse_goal(std::string_view text, const std::string& file);
JobLog parse_monitoring(std::string_view text, const std::string& file);
JobLog parse_mpip(std::string_view text, const std::string& file);
JobLog parse_ipm(std::string_view text, const std::string& file);
JobLog parse_paraver(std::string_view text, const std::string& file);

}  // namespace haichi
