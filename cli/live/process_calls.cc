// Processes and threads. Each rank has a process number, but is not a process. It cannot have threads or children, or
// become another program.

#include "cli/live/libc_call.h"

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <vector>

#include "base/errors.h"

// NOLINTBEGIN(readability-identifier-naming): names of the C library

using namespace haichi;
using namespace haichi::cli;
using host::LiveRank;

namespace {

/// The process number of rank 0. The numbers are equal in all runs, because programs derive random seeds from them.
/// They are higher than the numbers that Linux usually assigns.
constexpr pid_t kFirstProcess = 2'000'000;

pid_t process_of(const LiveRank& rank) { return kFirstProcess + rank.id().value; }

[[noreturn]] void refuse(LiveRank& rank, const char* function, const char* why, const char* hint) {
    rank.fail(std::make_exception_ptr(
        UnsupportedError("rank " + std::to_string(rank.id().value) + " calls " + function + "(): " + why, hint)));
}

constexpr const char* kNoProcess = "a rank of a live program is not a process";

void refuse_program(const char* function) {
    LiveRank* const rank = calling_rank();
    if (rank != nullptr) refuse(*rank, function, kNoProcess, "start the other program with system() or popen()");
}

/// The arguments of execl() and its variants up to the null pointer. `more` is then positioned after the null pointer.
std::vector<char*> arguments_of(const char* first, va_list more) {
    std::vector<char*> arguments;
    for (const char* word = first; word != nullptr; word = va_arg(more, const char*)) {
        arguments.push_back(const_cast<char*>(word));
    }
    arguments.push_back(nullptr);
    return arguments;
}

using Execute = int(const char*, char* const*);
using ExecuteIn = int(const char*, char* const*, char* const*);

}  // namespace

// ---- Process numbers ------------------------------------------------------------------------------------------------

HAICHI_LIBC_CALL(pid_t, getpid, ()) {
    const LiveRank* const rank = calling_rank();
    return rank != nullptr ? process_of(*rank) : real<pid_t()>("getpid")();
}

HAICHI_LIBC_CALL(pid_t, gettid, ()) {
    const LiveRank* const rank = calling_rank();
    return rank != nullptr ? process_of(*rank) : real<pid_t()>("gettid")();
}

HAICHI_LIBC_CALL(int, kill, (pid_t process, int number)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<int(pid_t, int)>("kill")(process, number);
    if (process == process_of(*rank)) return number == 0 ? 0 : ::raise(number);
    if (process > kFirstProcess - 1 && process - kFirstProcess < rank->host().rank_count()) {
        if (number == 0) return 0;
        refuse(*rank, "kill", "a rank cannot send signals to another rank", "end all ranks with MPI_Abort()");
    }
    return real<int(pid_t, int)>("kill")(process, number);
}

// ---- Threads and processes ------------------------------------------------------------------------------------------

HAICHI_LIBC_CALL(int, pthread_create,
                 (pthread_t * thread, const pthread_attr_t* attributes, void* (*begin)(void*), void* argument)) {
    LiveRank* const rank = calling_rank();
    if (rank != nullptr) {
        refuse(*rank, "pthread_create", "a rank of a live program has one thread",
               "run the program with one thread per rank: OMP_NUM_THREADS=1");
    }
    using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    return real<Create>("pthread_create")(thread, attributes, begin, argument);
}

HAICHI_LIBC_CALL(pid_t, fork, ()) {
    refuse_program("fork");
    return real<pid_t()>("fork")();
}

HAICHI_LIBC_CALL(pid_t, vfork, ()) {
    refuse_program("vfork");
    return real<pid_t()>("fork")();  // vfork() cannot be wrapped, so fork() replaces it
}

HAICHI_LIBC_CALL(int, daemon, (int keep_folder, int keep_streams)) {
    refuse_program("daemon");
    return real<int(int, int)>("daemon")(keep_folder, keep_streams);
}

HAICHI_LIBC_CALL(int, execve, (const char* path, char* const* arguments, char* const* environment)) {
    refuse_program("execve");
    return real<ExecuteIn>("execve")(path, arguments, environment);
}

HAICHI_LIBC_CALL(int, fexecve, (int file, char* const* arguments, char* const* environment)) {
    refuse_program("fexecve");
    return real<int(int, char* const*, char* const*)>("fexecve")(file, arguments, environment);
}

HAICHI_LIBC_CALL(int, execv, (const char* path, char* const* arguments)) {
    refuse_program("execv");
    return real<Execute>("execv")(path, arguments);
}

HAICHI_LIBC_CALL(int, execvp, (const char* file, char* const* arguments)) {
    refuse_program("execvp");
    return real<Execute>("execvp")(file, arguments);
}

HAICHI_LIBC_CALL(int, execvpe, (const char* file, char* const* arguments, char* const* environment)) {
    refuse_program("execvpe");
    return real<ExecuteIn>("execvpe")(file, arguments, environment);
}

HAICHI_LIBC_CALL(int, execl, (const char* path, const char* first, ...)) {
    refuse_program("execl");
    va_list more;
    va_start(more, first);
    const std::vector<char*> arguments = arguments_of(first, more);
    va_end(more);
    return real<Execute>("execv")(path, arguments.data());
}

HAICHI_LIBC_CALL(int, execlp, (const char* file, const char* first, ...)) {
    refuse_program("execlp");
    va_list more;
    va_start(more, first);
    const std::vector<char*> arguments = arguments_of(first, more);
    va_end(more);
    return real<Execute>("execvp")(file, arguments.data());
}

HAICHI_LIBC_CALL(int, execle, (const char* path, const char* first, ...)) {
    refuse_program("execle");
    va_list more;
    va_start(more, first);
    const std::vector<char*> arguments = arguments_of(first, more);
    auto* const environment = va_arg(more, char* const*);
    va_end(more);
    return real<ExecuteIn>("execve")(path, arguments.data(), environment);
}

// NOLINTEND(readability-identifier-naming)
