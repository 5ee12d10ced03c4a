#pragma once

// What surrounds every MPI call of a program.

#include <mpi.h>

#include <exception>

#include "base/errors.h"
#include "mgen/abi/mpich/program_callers.h"
#include "mgen/abi/mpich/rank_state.h"
#include "mgen/host/live_rank.h"

#define CALLER program_caller(__builtin_return_address(0), __builtin_frame_address(0))
#define EXPORTED extern "C" __attribute__((visibility("default")))
#define EXPORTED_WEAK(NAME) extern "C" __attribute__((visibility("default"), weak, alias(NAME)))

namespace haichi::abi::mpich {

/// Ends the run: the program made a call that was not known to be refused when it started.
[[noreturn]] void refuse(const char* name);
/// The call was not made by a rank: before main(), or by a thread of the program.
[[noreturn]] void refuse_outside(const char* name);
/// The call is made before MPI_Init or behind MPI_Finalize, outside of sessions: ends the run, but for those calls that
/// MPI allows then.
void check_may_be_early_or_late(const char* name);
/// The error, and who is where.
std::exception_ptr with_place(const UnsupportedError& error);
/// Hands an error of the call to the error handler of the communicator or the session that it named.
int handle_error(const mpi::CallError& error);
/// What the error handler of an object does about a code; back here where it lets the call return.
void tell_handler(MPI_Errhandler handler, int object, int code, const std::string& message, const std::string& hint);
/// What the running call has named, and whose errors are handled so.
MPI_Comm exchange_call_comm(MPI_Comm comm);

/// Where a call puts a result.
inline void check_place(const void* place) {
    if (place == nullptr) raise(mpi::ErrorClass::kArgument, "the address for a result is null");
}

/// The rank is in a call; also in those that it makes within.
class InCall {
  public:
    explicit InCall(host::LiveRank& rank) : rank_(&rank) { rank.enter_call(); }
    ~InCall() { rank_->leave_call(); }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;

  private:
    host::LiveRank* rank_;
};

/// Makes the call: notes where the rank is, keeps our exceptions out of the program's frames.
template <class Make>
auto call(const char* name, const void* site, const Make& make) -> decltype(make()) {
    host::LiveRank* rank = host::LiveRank::current();
    if (rank == nullptr) refuse_outside(name);
    const InCall in_call(*rank);
    // A call may be made within another: by an operation of the program, or by the Fortran library.
    const char* outer_name = rank->call_name;
    const void* outer_site = rank->call_site;
    rank->call_name = name;
    rank->call_site = rank->library_call_site == nullptr ? site : rank->library_call_site;
    rank->count_call();
    if (!RankState::current().is_in_mpi()) check_may_be_early_or_late(name);
    const MPI_Comm outer_comm = exchange_call_comm(MPI_COMM_WORLD);
    std::exception_ptr failure;
    try {
        const auto result = make();
        rank->call_name = outer_name;
        if (outer_name != nullptr) rank->call_site = outer_site;
        exchange_call_comm(outer_comm);
        return result;
    } catch (const mpi::CallError& error) {
        if constexpr (std::is_same_v<decltype(make()), int>) {
            const int code = handle_error(error);
            rank->call_name = outer_name;
            exchange_call_comm(outer_comm);
            return code;
        } else {
            failure = std::current_exception();
        }
    } catch (const UnsupportedError& error) {
        failure = with_place(error);
    } catch (...) {
        failure = std::current_exception();
    }
    rank->fail(failure);
}

}  // namespace haichi::abi::mpich
