#include "mgen/abi/mpich/guard.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "mgen/host/host.h"
#include "mgen/host/live_rank.h"

namespace haichi::abi::mpich {

namespace {

[[noreturn]] void say_and_end(const std::string& text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    _exit(1);
}

/// Ends the run because of an MPI call outside of any rank: before main(), or in another thread of the program.
[[noreturn]] void refuse_outside(const char* name) {
    say_and_end(std::string("error: ") + name +
                " was called outside of a rank\nhint: call MPI functions only from the thread of main()\n");
}

}  // namespace

void refuse(const char* name) {
    host::LiveRank* rank = host::LiveRank::current();
    const std::string text = "is not supported on the simulated machine";
    if (rank == nullptr) say_and_end(std::string("error: ") + name + " " + text + "\n");
    rank->fail(std::make_exception_ptr(
        UnsupportedError("rank " + std::to_string(rank->id().value) + " calls " + name + ", which " + text)));
}

namespace {

std::string who_and_where(const host::LiveRank& rank) {
    return "rank " + std::to_string(rank.id().value) + rank.host().place(rank.id()) + ": ";
}

/// Checks a call before MPI_Init or after MPI_Finalize, when no session is open. Ends the run unless MPI allows the
/// call at that time.
void check_may_be_early_or_late(const char* name) {
    // The list is from MPI 4.0, 11.4.1, plus calls that MPICH does not check. MPI_Init and MPI_Finalize check their own
    // conditions.
    static constexpr std::array<std::string_view, 13> kAllowed = {
        "MPI_Init",      "MPI_Finalize",    "MPI_Session_",
        "MPI_Info_",     "MPI_Get_version", "MPI_Get_library_version",
        "MPI_Add_error", "MPI_Error_",      "MPI_Comm_create_errhandler",
        "MPI_Wti",       "MPI_Abort",       "MPI_Pcontrol",
        "MGEN_"};
    const std::string_view called = name;
    if (std::ranges::any_of(kAllowed, [&](std::string_view allowed) { return called.starts_with(allowed); })) return;
    host::LiveRank* rank = host::LiveRank::current();
    const bool is_late = MpichRank::current().process.is_finalized;
    rank->fail(std::make_exception_ptr(InputError(
        who_and_where(*rank) + (is_late ? "MPI has been finalized already" : "MPI has not been initialized yet"))));
}

/// Returns the error with the rank and its call site in the message.
std::exception_ptr with_place(const UnsupportedError& error) {
    return std::make_exception_ptr(
        UnsupportedError(who_and_where(*host::LiveRank::current()) + error.what(), error.hint()));
}

/// Resets the objects that the running call has named, and sets its communicator. The error handlers of these objects
/// receive the errors of the call.
MPI_Comm exchange_call_comm(MPI_Comm comm) {
    MpichRank& state = MpichRank::current();
    state.call_session = MPI_SESSION_NULL;
    state.call_win = MPI_WIN_NULL;
    return std::exchange(state.call_comm, comm);
}

}  // namespace

void tell_handler(MPI_Errhandler handler, int object, int code, const std::string& message, const std::string& hint) {
    if (handler == MPI_ERRORS_RETURN) return;
    if (const Errhandler* own = MpichRank::current().errhandlers.find(handler)) {
        if (own->call != nullptr) return own->call(*own, object, code);
        // MPICH passes a third argument, for handlers that predate MPI's two-argument form.
        own->function(&object, &code, 0);
        return;
    }
    host::LiveRank* rank = host::LiveRank::current();
    rank->fail(std::make_exception_ptr(InputError(who_and_where(*rank) + message, hint)));
}

namespace {

/// Calls the error handler of the object (session, window or communicator) that the running call has named.
void tell_own_handler(int code, const std::string& message, const std::string& hint) {
    MpichRank& state = MpichRank::current();
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

/// Passes an error of the running call to the error handler of the object that the call has named. Returns the error
/// code.
int handle_error(const mpi::CallError& error) {
    const auto* with_code = dynamic_cast<const CodeError*>(&error);
    const int code = with_code != nullptr ? with_code->code() : error_code(error.error_class());
    tell_own_handler(code, error.what(), error.hint());
    return code;
}

}  // namespace

int in_status(mpi::ErrorClass first) {
    tell_own_handler(
        MPI_ERR_IN_STATUS,
        first == mpi::ErrorClass::kTruncate ? "a message is longer than its receive buffer" : "a request failed", {});
    return MPI_ERR_IN_STATUS;
}

namespace {

/// Marks the rank as being in an MPI call during the lifetime of this object. Calls may be nested.
class InCall {
  public:
    explicit InCall(host::LiveRank& rank) : rank_(&rank) { rank.enter_call(); }
    ~InCall() { rank_->leave_call(); }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;

  private:
    host::LiveRank* rank_;
};

}  // namespace

void run_call(const char* name, const void* site, void (*make)(void* body), void* body, int* code) {
    host::LiveRank* rank = host::LiveRank::current();
    if (rank == nullptr) refuse_outside(name);
    const InCall in_call(*rank);
    // A call may occur within another one, made by an operation of the program or by the Fortran library.
    const char* outer_name = rank->call_name;
    const void* outer_site = rank->call_site;
    rank->call_name = name;
    rank->call_site = rank->library_call_site == nullptr ? site : rank->library_call_site;
    rank->count_call();
    if (!MpichRank::current().is_in_mpi()) check_may_be_early_or_late(name);
    const MPI_Comm outer_comm = exchange_call_comm(MPI_COMM_WORLD);
    std::exception_ptr failure;
    try {
        make(body);
        rank->call_name = outer_name;
        if (outer_name != nullptr) rank->call_site = outer_site;
        exchange_call_comm(outer_comm);
        return;
    } catch (const mpi::CallError& error) {
        if (code != nullptr) {
            *code = handle_error(error);
            rank->call_name = outer_name;
            exchange_call_comm(outer_comm);
            return;
        }
        failure = std::current_exception();
    } catch (const UnsupportedError& error) {
        failure = with_place(error);
    } catch (...) {
        failure = std::current_exception();
    }
    rank->fail(failure);
}

}  // namespace haichi::abi::mpich
