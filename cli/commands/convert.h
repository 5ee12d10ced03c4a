#pragma once

#include "cli/commands/command.h"

namespace haichi::cli {

Command convert_command();

}  // namespace haichi::cli
