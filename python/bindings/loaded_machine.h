#pragma once

#include <memory>

#include "netmodel/machine/machine.h"

namespace haichi {

/// The class haichi._core.Machine: a machine with all its sources, so that it can be pickled.
struct LoadedMachine {
    MachineSource source;
    std::shared_ptr<const Machine> machine;
};

}  // namespace haichi
