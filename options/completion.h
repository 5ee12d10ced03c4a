#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/table.h"
#include "options/command_line.h"

namespace haichi {

/// The words of a list such as "objectives", as `haichi list objectives` prints them.
using ListedWords = std::function<std::vector<std::string>(const std::string& list)>;

/// A shell and the function that writes its completion script.
struct CompletionShell {
    std::string name;
    std::string sentence;
    std::string (*script)(const CommandSpec& program, const ListedWords& words);
};

/// The shells bash, zsh and fish. The scripts complete commands, options and values. A value is completed if the option
/// table has its choices, or if the description names a list, as in "(haichi list objectives)". Other values are
/// completed as file names if the option takes a file.
const Table<CompletionShell>& completion_shells();

}  // namespace haichi
