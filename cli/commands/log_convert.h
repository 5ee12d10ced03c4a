#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command log_convert_command();

}  // namespace haichi::cli
