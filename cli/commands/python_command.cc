#include "cli/commands/python_command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/errors.h"
#include "cli/interrupt.h"

namespace haichi::cli {

namespace {

/// The Python interpreter, which is $HAICHI_PYTHON if that is set. Otherwise it is the one in this program's directory
/// (a virtual environment). If there is none, it is in .venv of the source directory, or it is python3 in PATH.
std::string interpreter() {
    if (const char* named = std::getenv("HAICHI_PYTHON"); named != nullptr && *named != '\0') return named;
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (!failed) {
        const auto folder = program.parent_path();
        for (const auto& place : {folder / "python3", folder / "../../../.venv/bin/python3"}) {
            if (access(place.c_str(), X_OK) == 0) return place.lexically_normal().string();
        }
    }
    return "python3";
}

/// Whether the interpreter finds the package haichi. The package is not imported, so that a broken package shows its
/// own error later. Output of the interpreter is not shown.
bool has_haichi(const std::string& python, const sigset_t& signals_before) {
    std::string safe_path = "-P";  // ignores the current directory
    std::string option = "-c";
    std::string question = "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('haichi') else 9)";
    std::string name = python;
    std::array<char*, 5> arguments = {name.data(), safe_path.data(), option.data(), question.data(), nullptr};
    posix_spawn_file_actions_t silence;
    posix_spawn_file_actions_init(&silence);
    posix_spawn_file_actions_addopen(&silence, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t usual;
    posix_spawnattr_init(&usual);
    posix_spawnattr_setsigmask(&usual, &signals_before);
    posix_spawnattr_setflags(&usual, POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int error = posix_spawnp(&child, python.c_str(), &silence, &usual, arguments.data(), environ);
    posix_spawnattr_destroy(&usual);
    posix_spawn_file_actions_destroy(&silence);
    if (error != 0) {
        throw UnsupportedError(
            "this command requires Python: cannot start " + shown(python) + ": " + std::strerror(error),
            "install python3, or name the interpreter in HAICHI_PYTHON");
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_pending(const sigset_t& signals) {
    sigset_t pending;
    ::sigpending(&pending);
    sigandset(&pending, &pending, &signals);
    return sigisemptyset(&pending) == 0;
}

}  // namespace

void run_python_command(char** arguments) {
    std::string python = interpreter();
    // Signals stay blocked until the command can handle them (haichi/base/interruption.py), so that none is lost.
    const sigset_t ours = interrupting_signals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &ours, &before);
    const bool is_installed = has_haichi(python, before);
    if (is_pending(ours)) ::_exit(kExitInterrupted);
    if (!is_installed) {
        throw UnsupportedError(
            "this command requires the Python package haichi, which " + shown(python) + " does not have",
            "run scripts/install_python.sh, or `pip install .` in the source directory, or name another interpreter in "
            "HAICHI_PYTHON");
    }
    std::string safe_path = "-P";
    std::string option = "-m";
    std::string package = "haichi";
    std::vector<char*> all = {python.data(), safe_path.data(), option.data(), package.data()};
    for (; *arguments != nullptr; ++arguments) all.push_back(*arguments);
    all.push_back(nullptr);
    execvp(python.c_str(), all.data());
    throw UnsupportedError("cannot start " + shown(python) + ": " + std::strerror(errno));
}

}  // namespace haichi::cli
