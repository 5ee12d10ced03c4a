// Functions of the C library whose state is private to each rank, and functions that ranks cannot call.

#include "cli/live/libc_call.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "base/errors.h"

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): names of the C library

using namespace haichi;
using namespace haichi::cli;
using host::LiveRank;

// ---- Options --------------------------------------------------------------------------------------------------------

HAICHI_LIBC_CALL(int, getopt, (int argc, char* const* argv, const char* options)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<int(int, char* const*, const char*)>("getopt")(argc, argv, options);
    return state_of(*rank).next_option(argc, argv, options, nullptr, nullptr, false);
}

using GetoptLong = int(int, char* const*, const char*, const option*, int*);

HAICHI_LIBC_CALL(int, getopt_long,
                 (int argc, char* const* argv, const char* options, const option* longs, int* index)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<GetoptLong>("getopt_long")(argc, argv, options, longs, index);
    return state_of(*rank).next_option(argc, argv, options, longs, index, false);
}

HAICHI_LIBC_CALL(int, getopt_long_only,
                 (int argc, char* const* argv, const char* options, const option* longs, int* index)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<GetoptLong>("getopt_long_only")(argc, argv, options, longs, index);
    return state_of(*rank).next_option(argc, argv, options, longs, index, true);
}

// ---- Random numbers -------------------------------------------------------------------------------------------------

HAICHI_LIBC_CALL(long, random, ()) {
    LiveRank* const rank = calling_rank();
    return rank == nullptr ? real<long()>("random")() : state_of(*rank).random();
}

HAICHI_LIBC_CALL(int, rand, ()) {
    LiveRank* const rank = calling_rank();
    return rank == nullptr ? real<int()>("rand")() : static_cast<int>(state_of(*rank).random());
}

HAICHI_LIBC_CALL(void, srandom, (unsigned seed)) {
    LiveRank* const rank = calling_rank();
    rank == nullptr ? real<void(unsigned)>("srandom")(seed) : state_of(*rank).set_random_seed(seed);
}

HAICHI_LIBC_CALL(void, srand, (unsigned seed)) {
    LiveRank* const rank = calling_rank();
    rank == nullptr ? real<void(unsigned)>("srand")(seed) : state_of(*rank).set_random_seed(seed);
}

HAICHI_LIBC_CALL(char*, initstate, (unsigned seed, char* state, size_t size)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<char*(unsigned, char*, size_t)>("initstate")(seed, state, size);
    return state_of(*rank).use_random_state(seed, state, size);
}

HAICHI_LIBC_CALL(char*, setstate, (char* state)) {
    LiveRank* const rank = calling_rank();
    return rank == nullptr ? real<char*(char*)>("setstate")(state) : state_of(*rank).use_random_state(state);
}

HAICHI_LIBC_CALL(double, drand48, ()) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<double()>("drand48")();
    double number = 0;
    ::drand48_r(&state_of(*rank).drand48_state(), &number);
    return number;
}

HAICHI_LIBC_CALL(double, erand48, (unsigned short* x)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<double(unsigned short*)>("erand48")(x);
    double number = 0;
    ::erand48_r(x, &state_of(*rank).drand48_state(), &number);
    return number;
}

HAICHI_LIBC_CALL(long, lrand48, ()) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<long()>("lrand48")();
    long number = 0;
    ::lrand48_r(&state_of(*rank).drand48_state(), &number);
    return number;
}

HAICHI_LIBC_CALL(long, nrand48, (unsigned short* x)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<long(unsigned short*)>("nrand48")(x);
    long number = 0;
    ::nrand48_r(x, &state_of(*rank).drand48_state(), &number);
    return number;
}

HAICHI_LIBC_CALL(long, mrand48, ()) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<long()>("mrand48")();
    long number = 0;
    ::mrand48_r(&state_of(*rank).drand48_state(), &number);
    return number;
}

HAICHI_LIBC_CALL(long, jrand48, (unsigned short* x)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<long(unsigned short*)>("jrand48")(x);
    long number = 0;
    ::jrand48_r(x, &state_of(*rank).drand48_state(), &number);
    return number;
}

HAICHI_LIBC_CALL(void, srand48, (long seed)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<void(long)>("srand48")(seed);
    ::srand48_r(seed, &state_of(*rank).drand48_state());
}

HAICHI_LIBC_CALL(unsigned short*, seed48, (unsigned short* seed)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<unsigned short*(unsigned short*)>("seed48")(seed);
    drand48_data& state = state_of(*rank).drand48_state();
    ::seed48_r(seed, &state);
    return state.__old_x;
}

HAICHI_LIBC_CALL(void, lcong48, (unsigned short* parameters)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<void(unsigned short*)>("lcong48")(parameters);
    ::lcong48_r(parameters, &state_of(*rank).drand48_state());
}

// ---- Texts ----------------------------------------------------------------------------------------------------------

HAICHI_LIBC_CALL(char*, strtok, (char* text, const char* delimiters)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<char*(char*, const char*)>("strtok")(text, delimiters);
    return state_of(*rank).next_token(text, delimiters);
}

// ---- The end of a rank ----------------------------------------------------------------------------------------------

HAICHI_LIBC_CALL(void, exit, (int code)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<void(int)>("exit")(code);
    LiveProgram::running()->exit(*rank, code);
}

namespace {

constexpr int kVisible = 0xff;

void end_at_once(LiveRank& rank, int code) { rank.exit(code & kVisible); }

/// Whether the module with this handle has a private copy in each rank. A program that is not position independent has
/// no handle.
bool is_of_ranks(const void* module) {
    if (module == nullptr) return true;
    const host::ProgramModule* const of = LiveProgram::running()->module_offset(module).module;
    return of != nullptr && of->is_private;
}

}  // namespace

HAICHI_LIBC_CALL(void, _exit, (int code)) {
    LiveRank* const rank = calling_rank();
    rank == nullptr ? real<void(int)>("_exit")(code) : end_at_once(*rank, code);
}

HAICHI_LIBC_CALL(void, _Exit, (int code)) {
    LiveRank* const rank = calling_rank();
    rank == nullptr ? real<void(int)>("_Exit")(code) : end_at_once(*rank, code);
}

HAICHI_LIBC_CALL(void, quick_exit, (int code)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<void(int)>("quick_exit")(code);
    state_of(*rank).run_at_quick_exit();
    end_at_once(*rank, code);
}

// atexit() and destructors of C++ objects call this function; the linker puts atexit() into the program itself. Objects
// of shared libraries and of haichi are destroyed at the end of the process, whichever rank constructed them.
HAICHI_LIBC_CALL(int, __cxa_atexit, (void (*function)(void*), void* argument, void* module)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr || !is_of_ranks(module)) {
        return real<int(void (*)(void*), void*, void*)>("__cxa_atexit")(function, argument, module);
    }
    state_of(*rank).at_exit(function, argument);
    return 0;
}

// A rank runs the destructors of its thread-local objects at its end, because one thread runs many ranks.
HAICHI_LIBC_CALL(int, __cxa_thread_atexit, (void (*function)(void*), void* object, void* module)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr || !is_of_ranks(module)) {
        // The function of the C++ library would only call the one of the C library. C programs do not load the C++
        // library.
        return real<int(void (*)(void*), void*, void*)>("__cxa_thread_atexit_impl")(function, object, module);
    }
    state_of(*rank).at_exit(function, object);
    return 0;
}

HAICHI_LIBC_CALL(int, __cxa_at_quick_exit, (void (*function)(void*), void* module)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<int(void (*)(void*), void*)>("__cxa_at_quick_exit")(function, module);
    state_of(*rank).at_quick_exit(function, nullptr);
    return 0;
}

HAICHI_LIBC_CALL(int, on_exit, (void (*function)(int, void*), void* argument)) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return real<int(void (*)(int, void*), void*)>("on_exit")(function, argument);
    state_of(*rank).at_exit(function, argument);
    return 0;
}

// Finalisers of a rank call this function for their module. The rank has already run the handlers of the module.
HAICHI_LIBC_CALL(void, __cxa_finalize, (void* module)) {
    if (calling_rank() == nullptr) real<void(void*)>("__cxa_finalize")(module);
}

// ---- Signals --------------------------------------------------------------------------------------------------------

using SignalHandler = void (*)(int);

// The Fortran library installs crash handlers in each rank, which would report neither the rank nor the MPI call. Only
// handlers that the program itself contains are installed.
HAICHI_LIBC_CALL(SignalHandler, signal, (int number, SignalHandler handler)) {
    if (calling_rank() != nullptr && handler != SIG_DFL && handler != SIG_IGN) {
        const host::ProgramModule* const module =
            LiveProgram::running()->module_offset(reinterpret_cast<const void*>(handler)).module;
        if (module != nullptr && module->path.find("libgfortran.so") != std::string::npos) return SIG_DFL;
    }
    return real<SignalHandler(int, SignalHandler)>("signal")(number, handler);
}

// ---- Calls that ranks cannot make -----------------------------------------------------------------------------------

namespace {

void warn(const char* function, const char* what) {
    if (const LiveRank* const rank = calling_rank(); rank != nullptr) {
        LiveProgram::running()->warn_once(*rank, function, what);
    }
}

constexpr const char* kSharedFolder = "all ranks of a live program share one working directory";
constexpr const char* kSharedEnvironment = "all ranks of a live program share one environment";

}  // namespace

HAICHI_LIBC_CALL(int, chdir, (const char* path)) {
    warn("chdir", kSharedFolder);
    return real<int(const char*)>("chdir")(path);
}

HAICHI_LIBC_CALL(int, fchdir, (int folder)) {
    warn("fchdir", kSharedFolder);
    return real<int(int)>("fchdir")(folder);
}

HAICHI_LIBC_CALL(int, setenv, (const char* name, const char* value, int overwrite)) {
    warn("setenv", kSharedEnvironment);
    return real<int(const char*, const char*, int)>("setenv")(name, value, overwrite);
}

HAICHI_LIBC_CALL(int, unsetenv, (const char* name)) {
    warn("unsetenv", kSharedEnvironment);
    return real<int(const char*)>("unsetenv")(name);
}

HAICHI_LIBC_CALL(int, putenv, (char* text)) {
    warn("putenv", kSharedEnvironment);
    // The environment keeps the text after the rank has ended.
    if (LiveProgram::heaps() != nullptr && LiveProgram::heaps()->contains(text)) text = ::strdup(text);
    return real<int(char*)>("putenv")(text);
}

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
