#include "mgen/abi/mpich/guard.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mgen/host/host.h"

namespace haichi::abi::mpich {

namespace {

[[noreturn]] void say_and_end(const std::string& text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    _exit(1);
}

}  // namespace

void refuse(const char* name) {
    host::LiveRank* rank = host::LiveRank::current();
    const std::string text = std::string(name) + " is not supported on the simulated machine";
    if (rank == nullptr) say_and_end("error: " + text + "\n");
    rank->fail(
        std::make_exception_ptr(UnsupportedError("rank " + std::to_string(rank->id().value) + " calls it: " + text)));
}

void refuse_outside(const char* name) {
    say_and_end(std::string("error: ") + name +
                " was called by no rank\nhint: MPI is there from main() on, in its thread\n");
}

namespace {

std::string who_and_where(const host::LiveRank& rank) {
    return "rank " + std::to_string(rank.id().value) + rank.host().place(rank.id()) + ": ";
}

}  // namespace

void check_may_be_early_or_late(const char* name) {
    // MPI 4.0, 11.4.1, and what MPICH does not check. Init and Finalize say themselves what they do not allow.
    static constexpr std::array<std::string_view, 13> kAllowed = {
        "MPI_Init",      "MPI_Finalize",    "MPI_Session_",
        "MPI_Info_",     "MPI_Get_version", "MPI_Get_library_version",
        "MPI_Add_error", "MPI_Error_",      "MPI_Comm_create_errhandler",
        "MPI_Wti",       "MPI_Abort",       "MPI_Pcontrol",
        "MGEN_"};
    const std::string_view called = name;
    if (std::ranges::any_of(kAllowed, [&](std::string_view allowed) { return called.starts_with(allowed); })) return;
    host::LiveRank* rank = host::LiveRank::current();
    const bool is_late = RankState::current().process.is_finalized;
    rank->fail(std::make_exception_ptr(InputError(
        who_and_where(*rank) + (is_late ? "MPI has been finalized already" : "MPI has not been initialized yet"))));
}

std::exception_ptr with_place(const UnsupportedError& error) {
    return std::make_exception_ptr(
        UnsupportedError(who_and_where(*host::LiveRank::current()) + error.what(), error.hint()));
}

MPI_Comm exchange_call_comm(MPI_Comm comm) {
    RankState& state = RankState::current();
    state.call_session = MPI_SESSION_NULL;
    state.call_win = MPI_WIN_NULL;
    return std::exchange(state.call_comm, comm);
}

void tell_handler(MPI_Errhandler handler, int object, int code, const std::string& message, const std::string& hint) {
    if (handler == MPI_ERRORS_RETURN) return;
    if (const Errhandler* own = RankState::current().errhandlers.find(handler)) {
        // MPICH gives a third argument, for programs that were written for it before MPI had two.
        own->function(&object, &code, 0);
        return;
    }
    host::LiveRank* rank = host::LiveRank::current();
    rank->fail(std::make_exception_ptr(InputError(who_and_where(*rank) + message, hint)));
}

namespace {

/// Of what the running call has named.
void tell_own_handler(int code, const std::string& message, const std::string& hint) {
    RankState& state = RankState::current();
    if (const Session* session = state.sessions.find(state.call_session)) {
        return tell_handler(session->errhandler, state.call_session, code, message, hint);
    }
    if (const Win* win = state.wins.find(state.call_win)) {
        return tell_handler(win->errhandler, state.call_win, code, message, hint);
    }
    const Comm* of = state.call_comm == MPI_COMM_WORLD  ? &state.world
                     : state.call_comm == MPI_COMM_SELF ? &state.self
                                                        : state.comms.find(state.call_comm);
    if (of == nullptr) state.call_comm = MPI_COMM_WORLD;
    tell_handler((of != nullptr ? *of : state.world).errhandler, state.call_comm, code, message, hint);
}

}  // namespace

int handle_error(const mpi::CallError& error) {
    const auto* with_code = dynamic_cast<const CodeError*>(&error);
    const int code = with_code != nullptr ? with_code->code() : error_code(error.error_class());
    tell_own_handler(code, error.what(), error.hint());
    return code;
}

int in_status(mpi::ErrorClass first) {
    tell_own_handler(
        MPI_ERR_IN_STATUS,
        first == mpi::ErrorClass::kTruncate ? "a message is longer than the buffer of its receive" : "a request failed",
        {});
    return MPI_ERR_IN_STATUS;
}

}  // namespace haichi::abi::mpich
