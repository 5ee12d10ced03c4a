#pragma once

#include <string>
#include <string_view>

#include "commlog/readers/log_readers.h"

namespace haichi {

/// The rows of the table, one function in each format's file.
LogFormat own_log_format();
LogFormat otf2_log_format();
LogFormat dumpi_log_format();
LogFormat tit_log_format();
LogFormat goal_log_format();
LogFormat monitoring_log_format();
LogFormat mpip_log_format();
LogFormat ipm_log_format();
LogFormat paraver_log_format();

/// The same from a text in memory, alone where a format has a file per rank; `file` names it in errors. For tests.
JobLog parse_dumpi(std::string_view text, const std::string& file);
JobLog parse_tit(std::string_view text, const std::string& file);
JobLog parse_goal(std::string_view text, const std::string& file);
JobLog parse_monitoring(std::string_view text, const std::string& file);
JobLog parse_mpip(std::string_view text, const std::string& file);
JobLog parse_ipm(std::string_view text, const std::string& file);
JobLog parse_paraver(std::string_view text, const std::string& file);

}  // namespace haichi
