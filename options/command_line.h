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
    std::string examples;                    ///< command lines that work, one per line
    std::shared_ptr<OptionTable> options{};  ///< null: it has subcommands
    std::vector<CommandSpec> subcommands{};
};

/// The result of a command line: a command, whose table has read its values, or a text to print (help, version).
struct CommandLineResult {
    const CommandSpec* command = nullptr;
    std::string text{};
};

/// Reads the words after the program's name. `root` is the program. Throws OptionError and InputError.
/// The only function that knows CLI11.
CommandLineResult read_command_line(const CommandSpec& root, const std::vector<std::string>& all_words);

/// The help of a command with the path "haichi map", for instance. Lines have at most `width` characters unless a word
/// is longer.
std::string help_text(const CommandSpec& command, const std::string& path, std::size_t width);

/// The manual page of a command with the path "haichi map", for instance, in the language of man(7).
std::string manual_page(const CommandSpec& command, const std::string& path);

}  // namespace haichi
