// Replaces run_program.cc in a build without live programs.
#include "base/errors.h"
#include "cli/commands/part_hint.h"
#include "cli/commands/run_program.h"

namespace haichi::cli {

int run_program(RunArguments& /*arguments*/, Console& /*console*/) {
    throw UnsupportedError("haichi was built without support for live programs", kPartHint);
}

}  // namespace haichi::cli
