#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command evaluate_command();

}  // namespace haichi::cli
