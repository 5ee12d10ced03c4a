#include "mgen/host/needed_libraries.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <string_view>

extern char** environ;

namespace haichi::host {

namespace {

/// The standard output of the command; empty if it cannot be started.
std::string output_of(const std::array<const char*, 3>& command) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const std::array<char*, 4> words = {const_cast<char*>(command[0]), const_cast<char*>(command[1]),
                                        const_cast<char*>(command[2]), nullptr};
    pid_t child = 0;
    const bool has_started = ::posix_spawn(&child, command[0], &actions, nullptr, words.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t count = 1; has_started && count != 0;) {
        count = ::read(pipe[0], part.data(), part.size());
        if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
        if (count < 0 && errno != EINTR) break;
    }
    ::close(pipe[0]);
    while (has_started && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

}  // namespace

std::vector<std::string> needed_libraries(const ElfFile& program) {
    const std::size_t file = program.interpreter.rfind('/') + 1;
    if (!std::string_view(program.interpreter).substr(file).starts_with("ld")) return program.needed;
    // Lines look like "libm.so.6 => /lib/libm.so.6 (0x00007f...)".
    std::istringstream lines(output_of({program.interpreter.c_str(), "--list", program.path.c_str()}));
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        if (std::string name; words >> name) names.push_back(name);
    }
    return names;
}

}  // namespace haichi::host
