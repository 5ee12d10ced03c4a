#include "base/command_output.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

extern char** environ;

namespace haichi {

std::string command_output(const std::vector<std::string>& command) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_t child = 0;
    const bool has_started = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ) == 0;
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

}  // namespace haichi
