#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command log_compare_command();

}  // namespace haichi::cli
