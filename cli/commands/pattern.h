#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command pattern_command();

}  // namespace haichi::cli
