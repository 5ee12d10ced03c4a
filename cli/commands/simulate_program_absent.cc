// Stands in for simulate_program.cc in a program that is built without live programs.
#include "base/errors.h"
#include "cli/commands/part_hint.h"
#include "cli/commands/simulate_program.h"

namespace haichi::cli {

int simulate_program(const SimulateArguments& /*arguments*/, Console& /*console*/) {
    throw UnsupportedError("this haichi was built without what runs programs", kPartHint);
}

}  // namespace haichi::cli
