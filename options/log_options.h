#pragma once

#include <string>
#include <vector>

#include "mapper/advise/rails.h"
#include "options/option_table.h"

namespace haichi {

/// Declares the argument LOG..., which needs at least one log.
void declare_logs(OptionTable& options, std::vector<std::string>& logs, const std::string& description);
/// Declares --log-format, which applies to all logs of a command.
void declare_log_format(OptionTable& options, std::string& format);
/// Declares --rails, which has a number for each log.
void declare_rails(OptionTable& options, std::vector<std::int32_t>& rails);
/// Declares the options of the advisor, except the logs and the output.
void declare_advice(OptionTable& options, RailAdviceRequest& advice);

}  // namespace haichi
