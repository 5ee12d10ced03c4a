#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command log_show_command();

}  // namespace haichi::cli
