// Stands in for run_program.cc in a program that is built without live programs.
#include "base/errors.h"
#include "cli/commands/part_hint.h"
#include "cli/commands/run_program.h"

namespace haichi::cli {

int run_program(RunArguments& /*arguments*/, Console& /*console*/) {
    throw UnsupportedError("this haichi was built without support for running programs", kPartHint);
}

}  // namespace haichi::cli
