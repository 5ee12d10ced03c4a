#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command simulate_command();

}  // namespace haichi::cli
