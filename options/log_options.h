#pragma once

#include <string>
#include <vector>

#include "mapper/advise/rails.h"
#include "options/option_table.h"

namespace haichi {

/// LOG..., at least one.
void declare_logs(OptionTable& options, std::vector<std::string>& logs, const std::string& description);
/// --log-format, for all logs of a command.
void declare_log_format(OptionTable& options, std::string& format);
/// --rails, with a number for each log.
void declare_rails(OptionTable& options, std::vector<std::int32_t>& rails);
/// All options of the advisor beside the logs and the answer's output.
void declare_advice(OptionTable& options, RailAdviceRequest& advice);

}  // namespace haichi
