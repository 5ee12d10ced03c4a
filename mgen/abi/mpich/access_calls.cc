// One-sided communication: accesses to the memory of other ranks.

#include <string>
#include <utility>

#include <calls_generated.h>
#include "mgen/abi/mpich/guard.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;
using mpi::WindowAccess;

/// The arguments for one side of an access, the origin or the target, as in the call.
struct OriginArguments {
    const void* data;
    MPI_Count count;
    MPI_Datatype type;
};
struct TargetArguments {
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    MPI_Datatype type;
};

/// Begins an access. If `request` is null, the program cannot wait for this access alone. An access to MPI_PROC_NULL
/// completes at once.
int begin(MPI_Win handle, const WindowAccess& access, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    mpi::Window& window = *state.win(handle).window;
    mpi::Request* own = nullptr;
    if (request != nullptr) {
        own = &state.process.begin_access_request();
        *request = state.add_request(*own);
    }
    if (access.target == mpi::kNoProcess) {
        if (own != nullptr) state.process.complete_access(*own);
        return MPI_SUCCESS;
    }
    window.access(access, own);
    return MPI_SUCCESS;
}

void set_origin(MpichRank& state, const OriginArguments& origin, WindowAccess& access) {
    access.origin = state.buffer(origin.data, origin.count, origin.type);
    access.origin_type = state.type(origin.type);
}

void set_result(MpichRank& state, const OriginArguments& result, WindowAccess& access) {
    access.result = state.buffer(result.data, result.count, result.type);
    access.result_type = state.type(result.type);
}

void set_target(MpichRank& state, MPI_Win handle, const TargetArguments& target, WindowAccess& access) {
    const mpi::Window& window = *state.win(handle).window;
    if (target.count < 0) {
        raise(ErrorClass::kCount, "the target's count " + std::to_string(target.count) + " is negative");
    }
    const int size = window.membership()->size();
    if (target.rank != mpi::kNoProcess && (target.rank < 0 || target.rank >= size)) {
        raise(ErrorClass::kRank, "invalid target: " + std::to_string(target.rank) + " (the window has " +
                                     std::to_string(size) + " ranks)");
    }
    if (target.displacement < 0 && window.flavor() != mpi::WindowFlavor::kDynamic) {
        raise(ErrorClass::kDisplacement, "the displacement " + std::to_string(target.displacement) + " is negative");
    }
    access.target = target.rank;
    access.displacement = target.displacement;
    access.target_count = target.count;
    access.target_type = state.committed_type(target.type);
}

mpi::OperationRef operation_of(MpichRank& state, MPI_Op handle, MPI_Datatype type, bool may_be_none) {
    const mpi::OperationRef& operation = state.op(handle);
    if (!operation->kind()) raise(ErrorClass::kOperation, "an accumulate requires a predefined operation");
    const bool is_none = operation->kind() == mpi::OperationKind::kNoOperation;
    if (is_none && !may_be_none) raise(ErrorClass::kOperation, "MPI_NO_OP is invalid in this call");
    if (!is_none && operation->kind() != mpi::OperationKind::kReplace && !state.type(type)->only_basic_type()) {
        raise(ErrorClass::kType, "an accumulate requires a data type of one basic type");
    }
    return operation;
}

int transfer(WindowAccess::Kind kind, const OriginArguments& origin, const TargetArguments& target, MPI_Win win,
             MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    WindowAccess access{.kind = kind};
    set_target(state, win, target, access);
    set_origin(state, origin, access);
    return begin(win, access, request);
}

int accumulate(const OriginArguments& origin, const TargetArguments& target, MPI_Op op, MPI_Win win,
               MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    WindowAccess access{.kind = WindowAccess::Kind::kAccumulate};
    set_target(state, win, target, access);
    set_origin(state, origin, access);
    access.operation = operation_of(state, op, target.type, false);
    return begin(win, access, request);
}

int get_accumulate(const OriginArguments& origin, const OriginArguments& result, const TargetArguments& target,
                   MPI_Op op, MPI_Win win, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    WindowAccess access{.kind = WindowAccess::Kind::kGetAccumulate};
    set_target(state, win, target, access);
    set_result(state, result, access);
    access.operation = operation_of(state, op, target.type, true);
    // MPI_NO_OP does not use the origin's buffer.
    if (op != MPI_NO_OP) set_origin(state, origin, access);
    return begin(win, access, request);
}

}  // namespace

int Put(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint displacement, MPI_Count target_count,
        MPI_Datatype target_type, MPI_Win win) {
    return transfer(WindowAccess::Kind::kPut, {data, count, type}, {rank, displacement, target_count, target_type}, win,
                    nullptr);
}
int Rput(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint displacement, MPI_Count target_count,
         MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
    return transfer(WindowAccess::Kind::kPut, {data, count, type}, {rank, displacement, target_count, target_type}, win,
                    request);
}
int Get(void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint displacement, MPI_Count target_count,
        MPI_Datatype target_type, MPI_Win win) {
    return transfer(WindowAccess::Kind::kGet, {data, count, type}, {rank, displacement, target_count, target_type}, win,
                    nullptr);
}
int Rget(void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint displacement, MPI_Count target_count,
         MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
    return transfer(WindowAccess::Kind::kGet, {data, count, type}, {rank, displacement, target_count, target_type}, win,
                    request);
}

int Accumulate(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint displacement,
               MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    return accumulate({data, count, type}, {rank, displacement, target_count, target_type}, op, win, nullptr);
}
int Raccumulate(const void* data, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint displacement,
                MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request* request) {
    return accumulate({data, count, type}, {rank, displacement, target_count, target_type}, op, win, request);
}
int Get_accumulate(const void* data, MPI_Count count, MPI_Datatype type, void* result, MPI_Count result_count,
                   MPI_Datatype result_type, int rank, MPI_Aint displacement, MPI_Count target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    return get_accumulate({data, count, type}, {result, result_count, result_type},
                          {rank, displacement, target_count, target_type}, op, win, nullptr);
}
int Rget_accumulate(const void* data, MPI_Count count, MPI_Datatype type, void* result, MPI_Count result_count,
                    MPI_Datatype result_type, int rank, MPI_Aint displacement, MPI_Count target_count,
                    MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request* request) {
    return get_accumulate({data, count, type}, {result, result_count, result_type},
                          {rank, displacement, target_count, target_type}, op, win, request);
}

int Fetch_and_op(const void* data, void* result, MPI_Datatype type, int rank, MPI_Aint displacement, MPI_Op op,
                 MPI_Win win) {
    if (!MpichRank::current().type(type)->named()) {
        raise(ErrorClass::kType, "MPI_Fetch_and_op requires a predefined data type");
    }
    return get_accumulate({data, 1, type}, {result, 1, type}, {rank, displacement, 1, type}, op, win, nullptr);
}

int Compare_and_swap(const void* data, const void* compare, void* result, MPI_Datatype type, int rank,
                     MPI_Aint displacement, MPI_Win win) {
    MpichRank& state = MpichRank::current();
    WindowAccess access{.kind = WindowAccess::Kind::kCompareAndSwap};
    set_target(state, win, {rank, displacement, 1, type}, access);
    const std::optional<mpi::BasicType> named = access.target_type->named();
    // MPI allows integer, logical and byte types. These are the types with a bitwise or logical XOR, and MPI_CHAR.
    if (!named || (!mpi::is_defined(mpi::OperationKind::kBitXor, *named) &&
                   !mpi::is_defined(mpi::OperationKind::kLogicalXor, *named) && *named != mpi::BasicType::kChar)) {
        raise(ErrorClass::kType, "MPI_Compare_and_swap requires an integer, logical or byte type");
    }
    set_origin(state, {data, 1, type}, access);
    set_result(state, {result, 1, type}, access);
    access.compare = compare;
    return begin(win, access, nullptr);
}

}  // namespace haichi::abi::mpich
