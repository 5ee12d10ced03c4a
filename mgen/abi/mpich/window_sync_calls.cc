// Synchronisation of accesses to windows.

#include <string>

#include <calls_generated.h>
#include "mgen/abi/mpich/guard.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;

mpi::Window& window(MPI_Win handle) { return *MpichRank::current().win(handle).window; }

void check_assertions(int given, int allowed) {
    if ((given & ~allowed) != 0) {
        raise(ErrorClass::kAssertion, "the assertion " + std::to_string(given) + " is invalid for this call");
    }
}

mpi::LockKind lock_kind(int number) {
    if (number == MPI_LOCK_SHARED) return mpi::LockKind::kShared;
    if (number == MPI_LOCK_EXCLUSIVE) return mpi::LockKind::kExclusive;
    raise(ErrorClass::kLockKind, "expected MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE, found " + std::to_string(number));
}

}  // namespace

int Win_fence(int assertions, MPI_Win handle) {
    mpi::Window& of = window(handle);
    check_assertions(assertions, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
    of.fence(
        {.no_precede = (assertions & MPI_MODE_NOPRECEDE) != 0, .no_succeed = (assertions & MPI_MODE_NOSUCCEED) != 0});
    return MPI_SUCCESS;
}

int Win_post(MPI_Group group, int assertions, MPI_Win handle) {
    mpi::Window& of = window(handle);
    check_assertions(assertions, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
    of.post(MpichRank::current().group(group), (assertions & MPI_MODE_NOCHECK) != 0);
    return MPI_SUCCESS;
}
int Win_start(MPI_Group group, int assertions, MPI_Win handle) {
    mpi::Window& of = window(handle);
    check_assertions(assertions, MPI_MODE_NOCHECK);
    of.start(MpichRank::current().group(group), (assertions & MPI_MODE_NOCHECK) != 0);
    return MPI_SUCCESS;
}
int Win_complete(MPI_Win handle) {
    window(handle).complete();
    return MPI_SUCCESS;
}
int Win_wait(MPI_Win handle) {
    window(handle).wait();
    return MPI_SUCCESS;
}
int Win_test(MPI_Win handle, int* flag) {
    *flag = window(handle).test() ? 1 : 0;
    return MPI_SUCCESS;
}

int Win_lock(int kind, int rank, int assertions, MPI_Win handle) {
    mpi::Window& of = window(handle);
    check_assertions(assertions, MPI_MODE_NOCHECK);
    const mpi::LockKind of_lock = lock_kind(kind);
    if (rank != MPI_PROC_NULL) of.lock(of_lock, rank, (assertions & MPI_MODE_NOCHECK) != 0);
    return MPI_SUCCESS;
}
int Win_unlock(int rank, MPI_Win handle) {
    mpi::Window& of = window(handle);
    if (rank != MPI_PROC_NULL) of.unlock(rank);
    return MPI_SUCCESS;
}
int Win_lock_all(int assertions, MPI_Win handle) {
    mpi::Window& of = window(handle);
    check_assertions(assertions, MPI_MODE_NOCHECK);
    of.lock_all((assertions & MPI_MODE_NOCHECK) != 0);
    return MPI_SUCCESS;
}
int Win_unlock_all(MPI_Win handle) {
    window(handle).unlock_all();
    return MPI_SUCCESS;
}
int Win_flush(int rank, MPI_Win handle) {
    mpi::Window& of = window(handle);
    if (rank != MPI_PROC_NULL) of.flush(rank);
    return MPI_SUCCESS;
}
int Win_flush_local(int rank, MPI_Win handle) {
    mpi::Window& of = window(handle);
    if (rank != MPI_PROC_NULL) of.flush_local(rank);
    return MPI_SUCCESS;
}
int Win_flush_all(MPI_Win handle) {
    window(handle).flush_all();
    return MPI_SUCCESS;
}
int Win_flush_local_all(MPI_Win handle) {
    window(handle).flush_local_all();
    return MPI_SUCCESS;
}
/// Nothing has to be synchronised, because ranks share one memory. Reading the clock lets other ranks run if the
/// program waits in a loop for their writes.
int Win_sync(MPI_Win handle) {
    window(handle);
    MpichRank::current().process.rank().now_ps();
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
