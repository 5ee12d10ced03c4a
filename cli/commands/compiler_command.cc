#include "cli/commands/compiler_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/errors.h"
#include "cli/commands/part_hint.h"

namespace haichi::cli {

namespace {

namespace fs = std::filesystem;

struct Files {
    std::string headers;  ///< a directory
    std::string library;
};

/// The files that are installed with this program, or the files in the build directory.
Files files() {
    std::error_code failed;
    const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
    struct Installation {
        const char* headers;
        const char* library;
    };
    for (const Installation& installation : {Installation{"../include/haichi", "../lib/haichi/libmgen.a"},
                                             Installation{"../mgen/program/include", "../mgen/program/libmgen.a"}}) {
        const fs::path library = fs::canonical(folder / installation.library, failed);
        if (!failed) return {fs::canonical(folder / installation.headers).string(), library.string()};
    }
    throw UnsupportedError("haichi is installed without the headers and the library for programs (libmgen.a)",
                           kPartHint);
}

bool links(const std::vector<std::string>& arguments) {
    constexpr std::array<std::string_view, 6> kOthers = {"-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"};
    return std::ranges::none_of(
        arguments, [&](const std::string& argument) { return std::ranges::find(kOthers, argument) != kOthers.end(); });
}

}  // namespace

const std::vector<CompilerCommand>& compiler_commands() {
    static const std::vector<CompilerCommand> commands = {
        {"mgencc", "compile a C program that uses features of the simulated machine (mgen.h), for haichi run",
         "mpicc.mpich", "HAICHI_MPICC"},
        {"mgenc++", "compile a C++ program that uses features of the simulated machine (mgen.h), for haichi run",
         "mpicxx.mpich", "HAICHI_MPICXX"},
    };
    return commands;
}

void run_compiler_command(char** arguments) {
    const auto command = std::ranges::find(compiler_commands(), std::string(*arguments), &CompilerCommand::name);
    const char* const named = std::getenv(command->variable.c_str());
    const Files of_haichi = files();
    std::vector<std::string> given;
    for (char** at = arguments + 1; *at != nullptr; ++at) given.emplace_back(*at);
    if (given.empty()) {
        throw OptionError("haichi " + command->name + ": a source file is missing",
                          "name it, as in haichi " + command->name + " -O2 ring.c -o ring");
    }
    std::vector<std::string> words = {named != nullptr && *named != '\0' ? named : command->compiler,
                                      "-I" + of_haichi.headers};
    words.insert(words.end(), given.begin(), given.end());
    // The library follows the program's objects, because the linker takes main() from the library if the program has
    // none.
    if (links(given)) words.push_back(of_haichi.library);
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    execvp(all.front(), all.data());
    throw UnsupportedError("cannot start " + words.front() + ": " + std::strerror(errno),
                           "install MPICH's compiler (libmpich-dev), or name one in " + command->variable);
}

}  // namespace haichi::cli
