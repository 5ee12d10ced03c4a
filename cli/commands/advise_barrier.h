#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command advise_barrier_command();

}  // namespace haichi::cli
