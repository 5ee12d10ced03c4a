#include "options/command_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/errors.h"

namespace haichi {

namespace {

/// A command or a group of commands, as a level of CLI11.
struct Level {
    const CommandSpec* command = nullptr;
    std::string path;  ///< such as "haichi log show"
    std::map<const CLI::Option*, const OptionRow*> rows{};
};
using Levels = std::map<const CLI::App*, Level>;

/// The command that the first words name. Null if they name no command, or only a group of commands.
const CommandSpec* named_command(const CommandSpec& root, const std::vector<std::string>& words) {
    const CommandSpec* command = &root;
    for (const std::string& word : words) {
        const auto sub = std::ranges::find(command->subcommands, word, &CommandSpec::name);
        if (sub == command->subcommands.end()) break;
        command = &*sub;
    }
    return command->options ? command : nullptr;
}

/// A command line that ends with a program and its arguments, which haichi does not parse.
struct SplitWords {
    std::vector<std::string> ours;
    std::vector<std::string> rest;
};

/// Splits a command line. The words of the program begin after "--", or with the first word that is neither an option
/// nor the value of one.
SplitWords split_words(const std::vector<std::string>& words, const CommandSpec& command) {
    const auto takes_next_word = [&](const std::string& word) {
        return std::ranges::any_of(command.options->rows(), [&](const OptionRow& row) {
            if (!row.has_value() || row.traits.is_argument) return false;
            return word == "--" + row.name ||
                   (row.traits.letter != '\0' && word == std::string("-") + row.traits.letter);
        });
    };
    auto word = std::ranges::find(words, command.name) + 1;
    while (word != words.end() && *word != "--" && word->starts_with('-')) word += takes_next_word(*word) ? 2 : 1;
    const auto end = std::min(word, words.end());
    const auto begin = end != words.end() && *end == "--" ? end + 1 : end;
    return {{words.begin(), end}, {begin, words.end()}};
}

std::size_t terminal_width() {
    constexpr std::size_t kUsual = 100;
    constexpr std::size_t kLeast = 60;
    constexpr std::size_t kMost = 120;
    winsize size{};
    std::size_t width = kUsual;
    if (const char* const columns = std::getenv("COLUMNS"); columns != nullptr && std::atoi(columns) > 0) {
        width = static_cast<std::size_t>(std::atoi(columns));
    } else if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        width = size.ws_col;
    }
    return std::clamp(width, kLeast, kMost);
}

void add_rows(CLI::App& app, Level& level) {
    for (const OptionRow& row : level.command->options->rows()) {
        if (row.traits.takes_rest) continue;
        const std::string letter = row.traits.letter == '\0' ? "" : std::string("-") + row.traits.letter + ",";
        const std::string names = row.traits.is_argument ? row.name : letter + "--" + row.name;
        CLI::Option* const option = row.has_value() ? app.add_option(names) : app.add_flag(names);
        option->type_name(row.traits.value);
        if (row.has_value()) {
            option->expected(row.traits.is_argument && row.is_repeated() ? CLI::detail::expected_max_vector_size : 1);
            option->allow_extra_args(row.traits.is_argument && row.is_repeated());
        }
        option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        level.rows[option] = &row;
    }
}

void add_levels(CLI::App& app, const CommandSpec& command, const std::string& path, Levels& levels) {
    app.allow_extras();
    Level& level = levels[&app] = {&command, path};
    if (command.options) {
        add_rows(app, level);
        return;
    }
    app.require_subcommand(0, 1);
    for (const CommandSpec& sub : command.subcommands) {
        add_levels(*app.add_subcommand(sub.name), sub, path + " " + sub.name, levels);
    }
}

/// Refuses "--name=", for which CLI11 would use the next word as the value.
void refuse_missing_values(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (word == "--") return;
        if (word.starts_with("--") && word.find('=') == word.size() - 1)
            throw OptionError(word.substr(0, word.size() - 1) + " requires a value", "list the options with --help");
    }
}

/// Refuses "--name=value" for a flag. For a plain flag, CLI11 records the value "true".
void refuse_value(const OptionRow& flag, const std::vector<std::string>& results) {
    for (const std::string& result : results) {
        if (result != "true")
            throw OptionError("--" + flag.name + " takes no value, found " + shown(result),
                              "use --" + flag.name + " without a value, or leave it out");
    }
}

std::vector<std::string> subcommand_names(const CommandSpec& command) {
    std::vector<std::string> names;
    for (const CommandSpec& sub : command.subcommands) names.push_back(sub.name);
    return names;
}

/// Refuses `word`, which is not a subcommand. If `word` is empty, the subcommand is missing.
[[noreturn]] void refuse_command(const std::string& word, const Level& level) {
    if (word.empty()) {
        const bool is_root = level.path.find(' ') == std::string::npos;
        throw OptionError("a command is missing" + (is_root ? "" : " after " + shown(level.command->name)),
                          "list the commands with " + level.path + " --help");
    }
    throw OptionError("unknown command " + shown(word),
                      near_or_all(word, subcommand_names(*level.command), "commands are "));
}

/// Refuses the words that no option and no argument has taken.
[[noreturn]] void refuse_extra(const std::vector<std::string>& extra, const Level& level) {
    const auto option = std::ranges::find_if(extra, [](const std::string& word) { return word.starts_with('-'); });
    if (option == extra.end()) {
        throw OptionError("unexpected argument " + shown(extra.front()),
                          "see " + level.path + " --help for its arguments and options");
    }
    const std::string name = option->substr(0, option->find('='));
    std::vector<std::string> known = {"--help"};
    if (level.command->options) {
        for (const OptionRow& row : level.command->options->rows()) {
            if (row.traits.is_argument) continue;
            known.push_back("--" + row.name);
            for (const std::string& former : row.traits.former_names) {
                if (name == "--" + former)
                    throw OptionError("unknown option " + shown(name), "did you mean " + shown("--" + row.name) + "?");
            }
        }
    }
    const std::string near = did_you_mean(name, known);
    throw OptionError("unknown option " + shown(name), near.empty() ? "list the options with --help" : near);
}

/// The command that the words name. Throws OptionError if some words are left over or no command is named.
const CLI::App& chosen_level(const CLI::App& root, const Levels& levels) {
    const CLI::App* app = &root;
    while (true) {
        const Level& level = levels.at(app);
        const auto chosen = app->get_subcommands();
        auto extra = app->remaining();
        // An argument that can be repeated also takes the words after "--".
        const bool takes_all = std::ranges::any_of(
            level.rows, [](const auto& row) { return row.second->traits.is_argument && row.second->is_repeated(); });
        if (!extra.empty() && extra.front() == "--" && takes_all) extra.erase(extra.begin());
        if (!extra.empty()) {
            if (chosen.empty() && !extra.front().starts_with('-') && !level.command->options) {
                refuse_command(extra.front(), level);
            }
            refuse_extra(extra, level);
        }
        if (chosen.empty()) break;
        app = chosen.front();
    }
    if (!levels.at(app).command->options) refuse_command("", levels.at(app));
    return *app;
}

}  // namespace

CommandLineResult read_command_line(const CommandSpec& root, const std::vector<std::string>& all_words) {
    SplitWords split{all_words, {}};
    const CommandSpec* const named = named_command(root, all_words);
    const OptionRow* rest = nullptr;
    if (named != nullptr) {
        const auto& rows = named->options->rows();
        const auto found = std::ranges::find_if(rows, [](const OptionRow& row) { return row.traits.takes_rest; });
        if (found != rows.end()) rest = &*found;
    }
    if (rest != nullptr) split = split_words(all_words, *named);
    const std::vector<std::string>& words = split.ours;
    CLI::App app(root.summary, root.name);
    Levels levels;
    add_levels(app, root, root.name, levels);
    app.set_version_flag("--version", "");
    refuse_missing_values(words);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 expects reverse order
    } catch (const CLI::CallForHelp&) {
        const CLI::App* level = &app;
        while (!level->get_subcommands().empty()) level = level->get_subcommands().front();
        const std::vector<std::string> extra = level->remaining();
        if (!levels.at(level).command->options && !extra.empty() && !extra.front().starts_with('-')) {
            refuse_command(extra.front(), levels.at(level));
        }
        return {.text = help_text(*levels.at(level).command, levels.at(level).path, terminal_width())};
    } catch (const CLI::CallForVersion&) {
        return {.text = "haichi " HAICHI_VERSION "\n"};
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what();
        const bool is_missing = message.find("missing") != std::string::npos;
        throw OptionError(message.substr(0, message.find(':')) +
                              (is_missing ? " requires a value" : " takes one value and is given once"),
                          "list the options with --help");
    } catch (const CLI::ParseError& error) {
        throw OptionError(error.what(), "list the options with --help");
    }
    const CLI::App& chosen = chosen_level(app, levels);
    const Level& level = levels.at(&chosen);
    for (const CLI::Option* option : chosen.get_options()) {
        const auto row = level.rows.find(option);
        if (row == level.rows.end()) continue;
        if (!row->second->has_value()) refuse_value(*row->second, option->results());
        level.command->options->take(row->second->name, option->results());
    }
    if (rest != nullptr) level.command->options->take(rest->name, split.rest);
    level.command->options->check();
    return {.command = level.command};
}

}  // namespace haichi
