#include "cli/commands/shell_pages.h"

#include <algorithm>
#include <memory>

#include "base/errors.h"
#include "cli/commands/list.h"
#include "options/completion.h"

namespace haichi::cli {

namespace {

Action configure_completion(const CommandSpec& program, OptionTable& options) {
    const auto shell = std::make_shared<std::string>();
    std::vector<std::string> names;
    for (const CompletionShell& row : completion_shells()) names.push_back(row.name);
    options.begin(OptionGroup::kOutput);
    options.add_text("SHELL", *shell,
                     {.description = "Shell for which to write the script",
                      .choices = std::move(names),
                      .is_required = true,
                      .is_argument = true});
    return [shell, &program](Console& console) {
        console.data(completion_shells().at(*shell).script(program, listed_words));
        return kExitDone;
    };
}

/// Finds the command that the words name. Throws OptionError for an unknown command.
const CommandSpec& command_at(const CommandSpec& program, const std::vector<std::string>& words, std::string& path) {
    const CommandSpec* command = &program;
    for (const std::string& word : words) {
        const auto found = std::ranges::find(command->subcommands, word, &CommandSpec::name);
        if (found == command->subcommands.end())
            throw OptionError("unknown command " + shown(path + " " + word), path + " --help lists the commands");
        command = &*found;
        path += " " + word;
    }
    return *command;
}

Action configure_man(const CommandSpec& program, OptionTable& options) {
    const auto words = std::make_shared<std::vector<std::string>>();
    options.begin(OptionGroup::kOutput);
    options.add_texts("COMMAND", *words,
                      {.description = "Command to document, such as log show",
                       .otherwise = "the page of haichi itself",
                       .is_argument = true});
    return [words, &program](Console& console) {
        std::string path = program.name;
        const CommandSpec& command = command_at(program, *words, path);
        console.data(manual_page(command, path));
        return kExitDone;
    };
}

}  // namespace

Command completion_command(const CommandSpec& program) {
    return {"completion", "write a completion script for a shell", "source <(haichi completion bash)",
            [&program](OptionTable& options) { return configure_completion(program, options); }};
}

Command man_command(const CommandSpec& program) {
    return {"man", "write the manual page of a command", "haichi man map | man -l -",
            [&program](OptionTable& options) { return configure_man(program, options); }};
}

}  // namespace haichi::cli
