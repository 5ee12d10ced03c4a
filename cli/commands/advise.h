#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command advise_command();

}  // namespace haichi::cli
