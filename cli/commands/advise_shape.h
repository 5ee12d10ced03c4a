#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command advise_shape_command();

}  // namespace haichi::cli
