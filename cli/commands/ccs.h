#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command ccs_command();

}  // namespace haichi::cli
