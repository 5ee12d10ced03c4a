#pragma once

#include <haichi/export.h>

#include <map>
#include <string>

HAICHI_BEGIN

/// Further options by the names and in the form of the command line, without the dashes, as in {{"schedule",
/// "paper"}}. A flag has an empty value. `haichi help map` and the other commands describe them.
using MoreOptions = std::map<std::string, std::string>;

HAICHI_END
