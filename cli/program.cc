#include "cli/program.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <new>
#include <vector>

#include "base/errors.h"
#include "cli/commands/check.h"
#include "cli/commands/convert.h"
#include "cli/commands/evaluate.h"
#include "cli/commands/list.h"
#include "cli/commands/map.h"
#include "cli/commands/pattern.h"
#include "cli/commands/simulate.h"
#include "cli/interrupt.h"

namespace haichi::cli {

namespace {

struct Subcommand {
    Command command;
    CLI::App* app = nullptr;
    Action action;
};

std::vector<Command> commands() {
    return {map_command(),   evaluate_command(), simulate_command(), convert_command(),
            check_command(), list_command(),     pattern_command()};
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
        const std::vector<std::string>& values = option->results();
        if (std::ranges::find(values, "") != values.end()) {
            throw OptionError(option->get_name() + ": the value is empty");
        }
    }
}

[[noreturn]] void refuse_command(const std::string& word, const std::vector<Subcommand>& subcommands) {
    std::vector<std::string> names;
    std::string all;
    for (const Subcommand& sub : subcommands) {
        names.push_back(sub.command.name);
        all += (all.empty() ? "" : ", ") + sub.command.name;
    }
    const std::string near = did_you_mean(word, names);
    throw OptionError("unknown command " + shown(word), near.empty() ? "commands are " + all : near);
}

/// CLI11 throws for what it understands and cannot accept: a value that is missing, an option given twice.
int parse_and_run(CLI::App& app, std::vector<Subcommand>& subcommands, const bool& quiet, int argc, char** argv,
                  Console& console) {
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
    const auto chosen = app.get_subcommands();
    if (const auto extra = app.remaining(); !extra.empty()) {
        if (chosen.empty() && !extra.front().starts_with('-')) refuse_command(extra.front(), subcommands);
        refuse_extra(extra, app);
    }
    if (chosen.empty()) throw OptionError("a command is missing", "haichi --help lists them");
    const auto sub = std::ranges::find(subcommands, chosen.front(), &Subcommand::app);
    if (const auto extra = sub->app->remaining(); !extra.empty()) refuse_extra(extra, *sub->app);
    refuse_empty_values(*sub->app);
    console.set_quiet(quiet);
    return sub->action(console);
}

int run(int argc, char** argv, Console& console) {
    CLI::App app("haichi places the ranks of an MPI job on the nodes of a machine.", "haichi");
    app.footer("Example:\n  haichi pattern cg --ranks 64 -o cg64.json\n  " + map_command().example +
               "\n\n`haichi COMMAND --help` shows the options of a command.");
    app.set_version_flag("--version", "haichi " HAICHI_VERSION, "Print the version and exit");
    app.require_subcommand(0, 1);
    app.allow_extras();
    std::vector<Subcommand> subcommands;
    bool quiet = false;
    for (const Command& command : commands()) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary);
        sub->footer("Example:\n  " + command.example);
        sub->allow_extras();
        Action action = command.configure(*sub);
        sub->add_flag("--quiet", quiet, "only errors on standard error");
        subcommands.push_back({command, sub, std::move(action)});
    }
    return parse_and_run(app, subcommands, quiet, argc, argv, console);
}

}  // namespace

int run_program(int argc, char** argv) {
    prepare_process();
    Console console;
    try {
        return run(argc, argv, console);
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

}  // namespace haichi::cli
