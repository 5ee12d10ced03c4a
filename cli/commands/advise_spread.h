#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command advise_spread_command();

}  // namespace haichi::cli
