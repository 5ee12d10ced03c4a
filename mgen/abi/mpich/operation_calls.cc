// Operations for reductions.

#include <algorithm>
#include <limits>

#include <calls_generated.h>
#include "mgen/abi/mpich/callbacks.h"
#include "mgen/abi/mpich/type_handles.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;

int add_operation(mpi::Operation::Function function, int commutes, MPI_Op* handle) {
    auto operation = std::make_shared<const mpi::Operation>(std::move(function), commutes != 0);
    *handle = MpichRank::current().ops.add(Op{std::move(operation)});
    return MPI_SUCCESS;
}

}  // namespace

int create_op(void* function, CallOfOp* call, int commutes, MPI_Op* handle) {
    const auto apply = [function, call](const void* in, void* inout, std::int64_t count, const mpi::Datatype& type) {
        const BorrowedTypeHandle borrowed(type);
        auto* from = static_cast<std::byte*>(const_cast<void*>(in));
        auto* to = static_cast<std::byte*>(inout);
        // The program's function takes the count as an int, so larger counts are split.
        while (count > 0) {
            int part = static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
            const std::int64_t done = part;
            call(function, from, to, &part, borrowed.handle());
            from += done * type.extent();
            to += done * type.extent();
            count -= done;
        }
    };
    return add_operation(apply, commutes, handle);
}

int Op_create(MPI_User_function* function, int commutes, MPI_Op* handle) {
    const auto call = [](void* of_program, void* in, void* inout, int* count, MPI_Datatype type) {
        reinterpret_cast<MPI_User_function*>(of_program)(in, inout, count, &type);
    };
    return create_op(reinterpret_cast<void*>(function), call, commutes, handle);
}

int Op_create_c(MPI_User_function_c* function, int commutes, MPI_Op* handle) {
    const auto apply = [function](const void* in, void* inout, std::int64_t count, const mpi::Datatype& type) {
        const BorrowedTypeHandle borrowed(type);
        MPI_Datatype type_handle = borrowed.handle();
        MPI_Count items = count;
        function(const_cast<void*>(in), inout, &items, &type_handle);
    };
    return add_operation(apply, commutes, handle);
}

int Op_free(MPI_Op* handle) {
    MpichRank& state = MpichRank::current();
    if (state.op(*handle)->kind()) raise(ErrorClass::kOperation, "a predefined operation cannot be freed");
    state.ops.take(*handle);
    *handle = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int Op_commutative(MPI_Op handle, int* commutes) {
    *commutes = MpichRank::current().op(handle)->commutes() ? 1 : 0;
    return MPI_SUCCESS;
}

int Reduce_local(const void* in, void* inout, MPI_Count count, MPI_Datatype type, MPI_Op handle) {
    MpichRank& state = MpichRank::current();
    const mpi::OperationRef operation = state.op(handle);
    const mpi::DatatypeRef of_items = state.type(type);
    const mpi::Buffer buffer = state.buffer(inout, count, type);
    operation->check(*of_items);
    if (count == 0) return MPI_SUCCESS;
    if (in == MPI_IN_PLACE || inout == MPI_IN_PLACE) raise(ErrorClass::kBuffer, "the buffer is MPI_IN_PLACE");
    if (in == inout && buffer.bytes() > 0) raise(ErrorClass::kBuffer, "both buffers are the same");
    operation->apply(in, inout, count, *of_items);
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
