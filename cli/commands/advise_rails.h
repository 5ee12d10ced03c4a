#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command advise_rails_command();

}  // namespace haichi::cli
