#include "cli/program.h"

#include <algorithm>
#include <functional>
#include <new>
#include <vector>

#include "base/errors.h"
#include "cli/command_line.h"
#include "cli/commands/advise.h"
#include "cli/commands/ccs.h"
#include "cli/commands/check.h"
#include "cli/commands/compiler_command.h"
#include "cli/commands/convert.h"
#include "cli/commands/evaluate.h"
#include "cli/commands/list.h"
#include "cli/commands/log.h"
#include "cli/commands/map.h"
#include "cli/commands/pattern.h"
#include "cli/commands/python_command.h"
#include "cli/commands/simulate.h"
#include "cli/fault_report.h"
#include "cli/interrupt.h"

namespace haichi::cli {

namespace {

std::vector<Command> commands() {
    return {map_command(),   evaluate_command(), simulate_command(), convert_command(), ccs_command(),
            check_command(), list_command(),     pattern_command(),  log_command(),     advise_command()};
}

/// The exit code of work(); errors are told.
int told(const std::function<int()>& work, Console& console) {
    try {
        return work();
    } catch (const ClosedPipe&) {
        return kExitBadInput;
    } catch (const InternalError& error) {
        console.error(std::string("internal error: ") + error.what(), "this is a bug; please report the command line");
        return kExitInternal;
    } catch (const Error& error) {
        console.error(error.what(), error.hint());
        return exit_code(error.kind());
    } catch (const std::bad_alloc&) {
        console.error("out of memory", "a smaller workload, fewer --restarts or fewer --threads need less");
        return kExitInternal;
    } catch (const std::exception& error) {
        console.error(std::string("internal error: ") + error.what(), "this is a bug; please report the command line");
        return kExitInternal;
    }
}

}  // namespace

int run_program(int argc, char** argv, LiveProcess* live_process) {
    prepare_process();
    Console console;
    console.set_live_process(live_process);
    if (argc == FaultReport::kWords + 1 && std::string_view(argv[1]) == FaultReport::kCommand) {
        return FaultReport::tell(argv + 1, console);
    }
    const auto is_first_word = [&](const auto& command) { return argc > 1 && command.name == argv[1]; };
    if (std::ranges::any_of(python_commands(), is_first_word)) {  // takes the signals itself
        return told([&]() -> int { run_python_command(argv + 1); }, console);
    }
    if (std::ranges::any_of(compiler_commands(), is_first_word)) {
        return told([&]() -> int { run_compiler_command(argv + 1); }, console);
    }
    const SignalWatch signals;
    const int code = told([&] { return run_command_line(commands(), argc, argv, console); }, console);
    return SignalWatch::was_interrupted() ? kExitInterrupted : code;
}

}  // namespace haichi::cli
