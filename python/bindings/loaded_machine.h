#pragma once

#include "netmodel/machine/machine.h"

namespace haichi {

/// haichi._core.Machine: a machine with all it was made of, so that it can be pickled.
struct LoadedMachine {
    MachineSource source;
    Machine machine;
};

}  // namespace haichi
