#include "cli/program.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/errors.h"
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
#include "cli/commands/run.h"
#include "cli/commands/shell_pages.h"
#include "cli/commands/simulate.h"
#include "cli/fault_report.h"
#include "cli/interrupt.h"
#include "options/command_line.h"
#include "options/common_options.h"
#include "options/python_commands.h"

namespace haichi::cli {

namespace {

std::vector<Command> commands(const CommandSpec& program) {
    return {map_command(),       evaluate_command(), simulate_command(), run_command(),
            convert_command(),   ccs_command(),      check_command(),    list_command(program),
            pattern_command(),   log_command(),      advise_command(),   completion_command(program),
            man_command(program)};
}

/// The commands of the program, with their option tables and actions.
struct CommandTree {
    CommandSpec root{.name = "haichi",
                     .summary = "place the ranks of an MPI job on the nodes of a machine",
                     .examples =
                         "haichi pattern cg --ranks 64 -o cg64.json\n"
                         "haichi map -m fx10-kyushu -w cg64.json --shape 1x2x4x2x3x2 -o cg64.map"};
    std::map<const OptionTable*, Action> actions{};
    CommonOptions common{};

    CommandTree() {
        for (const Command& command : commands(root)) root.subcommands.push_back(spec_of(command));
        for (CommandSpec& command : python_commands()) root.subcommands.push_back(std::move(command));
        for (const CompilerCommand& command : compiler_commands()) {
            root.subcommands.push_back({command.name, command.summary, "", std::make_shared<OptionTable>()});
        }
    }

  private:
    CommandSpec spec_of(const Command& command) {
        CommandSpec spec{command.name, command.summary, command.examples};
        for (const Command& sub : command.subcommands) spec.subcommands.push_back(spec_of(sub));
        if (!spec.subcommands.empty()) return spec;
        spec.options = std::make_shared<OptionTable>();
        if (!command.configure) return spec;  // this build lacks the command
        actions[spec.options.get()] = command.configure(*spec.options);
        common.declare(*spec.options, command.reports_progress);
        return spec;
    }
};

/// Throws UnsupportedError if the first word is a command that this build lacks.
void refuse_absent_command(const std::vector<std::string>& words, const CommandTree& tree) {
    const auto& known = tree.root.subcommands;
    const auto command = words.empty() ? known.end() : std::ranges::find(known, words.front(), &CommandSpec::name);
    if (command == known.end() || !command->subcommands.empty() || tree.actions.contains(command->options.get()))
        return;
    throw UnsupportedError("haichi was built without the command " + shown(command->name),
                           "build it: cmake --build --preset release");
}

/// Throws OptionError if `simulate` has words after "--", because only `run` takes programs.
void refuse_simulated_program(const std::vector<std::string>& words) {
    const auto mark = std::ranges::find(words, "--");
    if (words.empty() || words.front() != "simulate" || mark == words.end()) return;
    std::string command = "haichi run";
    for (auto word = words.begin() + 1; word != words.end(); ++word) command += " " + *word;
    throw OptionError("haichi simulate takes workloads and logs, not programs", "run the program: " + command);
}

int run_words(const std::vector<std::string>& words, Console& console) {
    CommandTree tree;
    refuse_absent_command(words, tree);
    refuse_simulated_program(words);
    const CommandLineResult result = read_command_line(tree.root, words);
    if (result.command == nullptr) {
        console.data(result.text);
        return kExitDone;
    }
    const CommonOptions& common = tree.common;
    if (common.progress_fd) console.set_progress(*common.progress_fd);
    console.set_files_below(common.files_below);
    console.set_log_level(common.level());
    console.set_quiet(common.quiet);
    return tree.actions.at(result.command->options.get())(console);
}

/// Calls work() and returns its exit code. Errors are printed and converted to an exit code.
int guarded(const std::function<int()>& work, Console& console) {
    try {
        return work();
    } catch (const ClosedPipe&) {
        return kExitBadInput;
    } catch (const InternalError& error) {
        console.error(std::string("internal error: ") + error.what(), "report this bug with the command line");
        return kExitInternal;
    } catch (const Error& error) {
        console.error(error.what(), error.hint());
        return exit_code(error.kind());
    } catch (const std::bad_alloc&) {
        console.error("out of memory", "use a smaller workload, fewer --restarts or fewer --threads");
        return kExitInternal;
    } catch (const std::exception& error) {
        console.error(std::string("internal error: ") + error.what(), "report this bug with the command line");
        return kExitInternal;
    }
}

/// The words of the command line, in which `haichi help map` is replaced by `haichi map --help`.
std::vector<char*> program_words(int argc, char** argv) {
    std::vector<char*> words(argv, argv + argc);
    static char option[] = "--help";
    if (argc > 1 && std::string_view(argv[1]) == "help") {
        words.erase(words.begin() + 1);
        words.push_back(option);
    }
    words.push_back(nullptr);  // argument lists of execv() end with null
    return words;
}

}  // namespace

int run_program(int all_words, char** given, LiveProcess* live_process) {
    prepare_process();
    std::vector<char*> program = program_words(all_words, given);
    const int argc = static_cast<int>(program.size()) - 1;
    char** const argv = program.data();
    Console console;
    console.set_live_process(live_process);
    if (argc == FaultReport::kWords + 1 && std::string_view(argv[1]) == FaultReport::kCommand) {
        return FaultReport::tell(argv + 1, console);
    }
    const auto is_first_word = [&](const auto& command) { return argc > 1 && command.name == argv[1]; };
    if (std::ranges::any_of(python_commands(), is_first_word)) {  // Python handles the signals itself
        return guarded([&]() -> int { run_python_command(argv + 1); }, console);
    }
    if (std::ranges::any_of(compiler_commands(), is_first_word)) {
        return guarded([&]() -> int { run_compiler_command(argv + 1); }, console);
    }
    const SignalWatch signals;
    const int code = guarded(
        [&] { return run_words(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), console); }, console);
    return SignalWatch::was_interrupted() ? kExitInterrupted : code;
}

}  // namespace haichi::cli
