#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command check_command();

}  // namespace haichi::cli
