#pragma once

#include <string>
#include <string_view>

#include "commlog/readers/log_readers.h"

namespace haichi {

/// The readers in trace_readers(); each is in the file of its format. They throw InputError that states file and line
/// (or offset).
JobLog read_dumpi(const std::string& path, ReadProgress& progress);
JobLog read_tit(const std::string& path, ReadProgress& progress);
JobLog read_goal(const std::string& path, ReadProgress& progress);
JobLog read_monitoring(const std::string& path, ReadProgress& progress);
JobLog read_mpip(const std::string& path, ReadProgress& progress);
JobLog read_ipm(const std::string& path, ReadProgress& progress);
JobLog read_paraver(const std::string& path, ReadProgress& progress);
/// Returns null if haichi is built without the OTF2 library.
LogReader otf2_reader();

/// Parsers of texts in memory, for tests. For formats with one file per rank, the text is one rank's file. `file` is
/// the name in error messages.
JobLog parse_dumpi(std::string_view text, const std::string& file);
JobLog parse_tit(std::string_view text, const std::string& file);
JobLog parse_goal(std::string_view text, const std::string& file);
JobLog parse_monitoring(std::string_view text, const std::string& file);
JobLog parse_mpip(std::string_view text, const std::string& file);
JobLog parse_ipm(std::string_view text, const std::string& file);
JobLog parse_paraver(std::string_view text, const std::string& file);

}  // namespace haichi
