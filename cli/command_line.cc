#include "cli/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/errors.h"
#include "cli/commands/common_options.h"
#include "cli/commands/compiler_command.h"
#include "cli/commands/option_table.h"
#include "cli/commands/python_command.h"

namespace haichi::cli {

namespace {

struct Subcommand {
    Command command;
    CLI::App* app = nullptr;
    Action action;  ///< null: it has subcommands
};

/// The long options of `app`, as typed.
std::vector<std::string> long_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// Refuses the arguments that remain after every known option has been taken.
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

/// Refuses `word`, which is not a subcommand of `app`; an empty word means that none was given.
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
        // A command that runs a program has taken the arguments after it.
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
int parse_and_run(CLI::App& app, std::vector<Subcommand>& subcommands, const CommonOptions& common, int argc,
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
    common.apply(console);
    return sub.action(console);
}

void add_options(CLI::App& app, const OptionTable& options) {
    for (const OptionRow& row : options.rows()) {
        std::visit(
            [&](auto* value) {
                using Value = std::remove_pointer_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, int>) {
                    app.add_flag(row.names, *value, row.description);
                } else {
                    CLI::Option* option = app.add_option(row.names, *value, row.description);
                    option->type_name(row.placeholder);
                    const bool is_repeated = std::is_same_v<Value, std::vector<std::string>>;
                    if (is_repeated && row.names.starts_with('-')) option->allow_extra_args(false);
                }
            },
            row.value);
    }
}

void add_commands(CLI::App& parent, const std::vector<Command>& commands, CommonOptions& common,
                  std::vector<Subcommand>& subcommands) {
    for (const Command& command : commands) {
        CLI::App* app = parent.add_subcommand(command.name, command.summary);
        app->footer("Example:\n  " + command.example);
        app->allow_extras();
        Action action;
        if (command.subcommands.empty()) {
            OptionTable options;
            action = command.configure(options);
            if (command.tells_progress) common.declare_progress(options);
            common.declare(options);
            add_options(*app, options);
        } else {
            app->require_subcommand(0, 1);
            add_commands(*app, command.subcommands, common, subcommands);
        }
        subcommands.push_back({command, app, std::move(action)});
    }
}

}  // namespace

int run_command_line(const std::vector<Command>& commands, int argc, char** argv, Console& console) {
    CLI::App app("haichi places the ranks of an MPI job on the nodes of a machine.", "haichi");
    app.footer("Example:\n  haichi pattern cg --ranks 64 -o cg64.json\n  " + commands.front().example +
               "\n\n`haichi COMMAND --help` shows the options of a command.");
    app.set_version_flag("--version", "haichi " HAICHI_VERSION, "Print the version and exit");
    app.require_subcommand(0, 1);
    app.allow_extras();
    std::vector<Subcommand> subcommands;
    CommonOptions common;
    add_commands(app, commands, common, subcommands);
    for (const PythonCommand& command : python_commands()) app.add_subcommand(command.name, command.summary);
    for (const CompilerCommand& command : compiler_commands()) app.add_subcommand(command.name, command.summary);
    return parse_and_run(app, subcommands, common, argc, argv, console);
}

}  // namespace haichi::cli
