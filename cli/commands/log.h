#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command log_command();

}  // namespace haichi::cli
