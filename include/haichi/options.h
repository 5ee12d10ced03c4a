#pragma once

#include <haichi/export.h>

#include <map>
#include <string>

HAICHI_BEGIN

/// Further options of the command line, with their names (without the dashes) and values, as in {{"schedule",
/// "paper"}}. A flag has an empty value. `haichi help map` and the help of the other commands describe the options.
using MoreOptions = std::map<std::string, std::string>;

HAICHI_END
