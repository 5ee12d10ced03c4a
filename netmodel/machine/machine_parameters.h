#pragma once

#include "base/located_json.h"
#include "netmodel/machine/machine.h"

namespace haichi {

/// Reads the optional objects "router", "packet" and "node" of a machine file. Throws InputError.
void parse_machine_parameters(const LocatedJson& file, Machine& machine);

}  // namespace haichi
