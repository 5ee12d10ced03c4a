#include "cli/program.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <functional>
#include <new>
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
#include "cli/commands/simulate.h"
#include "cli/commands/verbosity.h"
#include "cli/fault_report.h"
#include "cli/interrupt.h"

namespace haichi::cli {

namespace {

struct Subcommand {
    Command command;
    CLI::App* app = nullptr;
    Action action;  ///< null: it has subcommands
};

std::vector<Command> commands() {
    return {map_command(),   evaluate_command(), simulate_command(), convert_command(), ccs_command(),
            check_command(), list_command(),     pattern_command(),  log_command(),     advise_command()};
}

/// The long options of `app`, as typed.
std::vector<std::string> long_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// What is left on the command line when every known option has been taken.
[[noreturn]] void refuse_extra(const std::vector<std::string>& extra, const CLI::App& app) {
    const auto option = std::ranges::find_if(extra, [](const std::string& word) { return word.starts_with('-'); });
    if (option == extra.end()) {
        throw OptionError("unexpected argument " + shown(extra.front()),
                          app.get_name() + " --help shows what it takes");
    }
    const std::string name = option->substr(0, option->find('='));
    const auto known = long_options(app);
    const std::string near = did_you_mean(name, known);
    throw OptionError("unknown option " + shown(name), near.empty() ? "--help lists the options" : near);
}

void refuse_empty_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) continue;  // the arguments of a program are its own affair
        const std::vector<std::string>& values = option->results();
        if (std::ranges::find(values, "") != values.end()) {
            throw OptionError(option->get_name() + ": the value is empty");
        }
    }
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
    return names;
}

/// `word` is no subcommand of `app`; none at all when it is empty.
[[noreturn]] void refuse_command(const std::string& word, const CLI::App& app) {
    const std::vector<std::string> names = subcommand_names(app);
    if (word.empty()) {
        const bool is_root = app.get_parent() == nullptr;
        throw OptionError("a command is missing" + (is_root ? "" : " behind " + shown(app.get_name())),
                          "haichi " + (is_root ? "" : app.get_name() + " ") + "--help lists them");
    }
    throw OptionError("unknown command " + shown(word), near_or_all(word, names, "commands are "));
}

bool takes_program(const CLI::App& app) {
    return std::ranges::any_of(app.get_options(), [](const CLI::Option* o) { return o->get_positional(); });
}

/// The subcommand that the command line names, or an error that says what is wrong with it.
Subcommand& chosen_subcommand(CLI::App& app, std::vector<Subcommand>& subcommands) {
    CLI::App* level = &app;
    while (true) {
        const auto chosen = level->get_subcommands();
        auto extra = level->remaining();
        // What stands behind it has been taken by a command that takes a program.
        if (!extra.empty() && extra.front() == "--" && takes_program(*level)) extra.erase(extra.begin());
        if (!extra.empty()) {
            if (chosen.empty() && !extra.front().starts_with('-') && !subcommand_names(*level).empty()) {
                refuse_command(extra.front(), *level);
            }
            refuse_extra(extra, *level);
        }
        if (chosen.empty()) break;
        level = chosen.front();
    }
    const auto sub = std::ranges::find(subcommands, level, &Subcommand::app);
    if (sub == subcommands.end() || !sub->action) refuse_command("", *level);
    return *sub;
}

/// CLI11 throws for what it understands and cannot accept: a value that is missing, an option given twice.
int parse_and_run(CLI::App& app, std::vector<Subcommand>& subcommands, const Verbosity& verbosity, int argc,
                  char** argv, Console& console) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        console.data(app.help());
        return kExitDone;
    } catch (const CLI::CallForVersion&) {
        console.data("haichi " HAICHI_VERSION "\n");
        return kExitDone;
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what();
        throw OptionError(message.substr(0, message.find(':')) + " takes one value and is given once",
                          "--help lists the options");
    } catch (const CLI::ParseError& error) {
        throw OptionError(error.what(), "--help lists the options");
    }
    Subcommand& sub = chosen_subcommand(app, subcommands);
    refuse_empty_values(*sub.app);
    verbosity.apply(console);
    return sub.action(console);
}

void add_commands(CLI::App& parent, const std::vector<Command>& commands, Verbosity& verbosity,
                  std::vector<Subcommand>& subcommands) {
    for (const Command& command : commands) {
        CLI::App* app = parent.add_subcommand(command.name, command.summary);
        app->footer("Example:\n  " + command.example);
        app->allow_extras();
        Action action;
        if (command.subcommands.empty()) {
            action = command.configure(*app);
            if (command.tells_progress) verbosity.declare_progress(*app);
            verbosity.declare(*app);
        } else {
            app->require_subcommand(0, 1);
            add_commands(*app, command.subcommands, verbosity, subcommands);
        }
        subcommands.push_back({command, app, std::move(action)});
    }
}

int run(int argc, char** argv, Console& console) {
    CLI::App app("haichi places the ranks of an MPI job on the nodes of a machine.", "haichi");
    app.footer("Example:\n  haichi pattern cg --ranks 64 -o cg64.json\n  " + map_command().example +
               "\n\n`haichi COMMAND --help` shows the options of a command.");
    app.set_version_flag("--version", "haichi " HAICHI_VERSION, "Print the version and exit");
    app.require_subcommand(0, 1);
    app.allow_extras();
    std::vector<Subcommand> subcommands;
    Verbosity verbosity;
    add_commands(app, commands(), verbosity, subcommands);
    for (const PythonCommand& command : python_commands()) app.add_subcommand(command.name, command.summary);
    for (const CompilerCommand& command : compiler_commands()) app.add_subcommand(command.name, command.summary);
    return parse_and_run(app, subcommands, verbosity, argc, argv, console);
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
    const int code = told([&] { return run(argc, argv, console); }, console);
    return SignalWatch::was_interrupted() ? kExitInterrupted : code;
}

}  // namespace haichi::cli
