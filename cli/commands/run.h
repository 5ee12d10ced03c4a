#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command run_command();

}  // namespace haichi::cli
