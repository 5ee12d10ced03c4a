#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command map_command();

}  // namespace haichi::cli
