#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_table.h"

namespace haichi {

/// A command of the program, or a group of commands.
struct CommandSpec {
    std::string name;
    std::string summary;                     ///< one line
    std::string examples;                    ///< working command lines, one per line
    std::shared_ptr<OptionTable> options{};  ///< null if the command has subcommands
    std::vector<CommandSpec> subcommands{};
};

/// The result of parsing a command line: a command, whose option table holds the values, or a text to print (help,
/// version).
struct CommandLineResult {
    const CommandSpec* command = nullptr;
    std::string text{};
};

/// Parses the words after the program's name. `root` is the program. Throws OptionError and InputError. No other
/// function depends on CLI11.
CommandLineResult read_command_line(const CommandSpec& root, const std::vector<std::string>& all_words);

/// Formats the help of a command. `path` is the command's full name, such as "haichi map". Lines have at most `width`
/// characters unless a word is longer.
std::string help_text(const CommandSpec& command, const std::string& path, std::size_t width);

/// The manual page of a command, in the language of man(7). `path` is, for example, "haichi map".
std::string manual_page(const CommandSpec& command, const std::string& path);

}  // namespace haichi
