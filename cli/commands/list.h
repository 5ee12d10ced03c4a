#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command list_command();

}  // namespace haichi::cli
