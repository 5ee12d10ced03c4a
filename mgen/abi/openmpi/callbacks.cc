// Calls that take functions of the program as arguments.

#include <memory>
#include <type_traits>

#include <calls_generated.h>
#include "mgen/abi/mpich/callbacks.h"
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/openmpi/own_calls.h"

namespace haichi::abi::openmpi {

namespace {

template <class Function>
Function* as(void* function) {
    return reinterpret_cast<Function*>(function);
}

template <class Handle>
void call_errhandler(const mpich::Errhandler& of, int object, int code) {
    using Function = void(Handle*, int*, ...);
    Handle given{};
    // Live programs open no files, so the only file is MPI_FILE_NULL.
    if constexpr (std::is_same_v<Handle, File>)
        given = predefined<File>().front().object;
    else
        given = handle_of_mpich<Handle>(object);
    int given_code = error_number(code);
    reinterpret_cast<Function*>(of.function)(&given, &given_code);
}

/// Creates the error handler and sets how its function is called.
template <class Handle, class Function>
int create_errhandler(int (*create)(Function*, MPI_Errhandler*), Function* function, MPI_Errhandler* made) {
    create(function, made);
    mpich::MpichRank::current().errhandlers.find(*made)->call = call_errhandler<Handle>;
    return MPI_SUCCESS;
}

constexpr int kPointer = 0;

template <class Handle>
int copy_attribute(MPI_Comm_copy_attr_function* copy, int object, int keyval, void* extra, int kind, void* value,
                   void** copied, int* flag) {
    using Function = int(Handle, int, void*, void*, void*, int*);
    void* const given = kind == kPointer ? value : &value;
    return error_code_of_mpich(
        reinterpret_cast<Function*>(copy)(handle_of_mpich<Handle>(object), keyval, extra, given, copied, flag));
}

template <class Handle>
int delete_attribute(MPI_Comm_delete_attr_function* erase, int object, int keyval, int kind, void* value, void* extra) {
    using Function = int(Handle, int, void*, void*);
    void* const given = kind == kPointer ? value : &value;
    return error_code_of_mpich(
        reinterpret_cast<Function*>(erase)(handle_of_mpich<Handle>(object), keyval, given, extra));
}

template <class Handle, class Copy, class Erase>
int create_keyval(int (*create)(Copy*, Erase*, int*, void*), Copy* copy, Erase* erase, int* key, void* extra) {
    create(copy, erase, key, extra);
    mpich::Keyval& made = *mpich::MpichRank::current().keyvals.find(*key);
    made.copy_proxy = reinterpret_cast<void*>(copy_attribute<Handle>);
    made.erase_proxy = reinterpret_cast<void*>(delete_attribute<Handle>);
    return MPI_SUCCESS;
}

void call_op(void* function, void* in, void* inout, int* count, MPI_Datatype type) {
    Datatype given = handle_of_mpich<Datatype>(type);
    as<void(void*, void*, int*, Datatype*)>(function)(in, inout, count, &given);
}

/// The program's functions for a generalized request, kept until its free function has been called.
struct Generalized {
    int (*query)(void* extra, Status* status);
    MPI_Grequest_free_function* free;
    MPI_Grequest_cancel_function* cancel;
    void* extra;
};

int query_generalized(void* of, MPI_Status* to) {
    const auto& request = *static_cast<const Generalized*>(of);
    Status given = status(*to);
    const int code = request.query(request.extra, &given);
    *to = status_of_mpich(given);
    return error_code_of_mpich(code);
}

int free_generalized(void* of) {
    const std::unique_ptr<const Generalized> request(static_cast<const Generalized*>(of));
    return error_code_of_mpich(request->free(request->extra));
}

int cancel_generalized(void* of, int is_complete) {
    const auto& request = *static_cast<const Generalized*>(of);
    return error_code_of_mpich(request.cancel(request.extra, is_complete));
}

}  // namespace

int Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* made) {
    return create_errhandler<Comm>(mpich::Comm_create_errhandler, function, made);
}
int Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* made) {
    return Comm_create_errhandler(function, made);
}
int File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* made) {
    return create_errhandler<File>(mpich::File_create_errhandler, function, made);
}
int Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* made) {
    return create_errhandler<Session>(mpich::Session_create_errhandler, function, made);
}
int Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* made) {
    return create_errhandler<Win>(mpich::Win_create_errhandler, function, made);
}

int Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase, int* key, void* extra) {
    return create_keyval<Comm>(mpich::Comm_create_keyval, copy, erase, key, extra);
}
int Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* erase, int* key, void* extra) {
    return create_keyval<Comm>(mpich::Keyval_create, copy, erase, key, extra);
}
int Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* erase, int* key, void* extra) {
    return create_keyval<Datatype>(mpich::Type_create_keyval, copy, erase, key, extra);
}
int Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* erase, int* key, void* extra) {
    return create_keyval<Win>(mpich::Win_create_keyval, copy, erase, key, extra);
}

int Op_create(MPI_User_function* function, int commutes, MPI_Op* made) {
    return mpich::create_op(reinterpret_cast<void*>(function), call_op, commutes, made);
}
int Op_create_c(MPI_User_function_c* /*function*/, int /*commutes*/, MPI_Op* /*made*/) {
    mpich::refuse("MPI_Op_create_c");
}

int Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                   MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* made) {
    auto request = std::make_unique<Generalized>(
        Generalized{reinterpret_cast<decltype(Generalized::query)>(query), free, cancel, extra});
    const int code =
        mpich::Grequest_start(query_generalized, free_generalized, cancel_generalized, request.get(), made);
    static_cast<void>(request.release());  // free_generalized() deletes it
    return code;
}

}  // namespace haichi::abi::openmpi

using namespace haichi::abi::openmpi;

// Open MPI's predefined attribute functions. They are the same for all kinds of objects.
#define PREDEFINED_ATTRIBUTE_FUNCTIONS(KIND)                                                          \
    EXPORTED int OMPI_C_MPI_##KIND##NULL_DELETE_FN(void*, int, void*, void*) { return MPI_SUCCESS; }  \
    EXPORTED int OMPI_C_MPI_##KIND##NULL_COPY_FN(void*, int, void*, void*, void*, int* flag) {        \
        *flag = 0;                                                                                    \
        return MPI_SUCCESS;                                                                           \
    }                                                                                                 \
    EXPORTED int OMPI_C_MPI_##KIND##DUP_FN(void*, int, void*, void* value, void* copied, int* flag) { \
        *static_cast<void**>(copied) = value;                                                         \
        *flag = 1;                                                                                    \
        return MPI_SUCCESS;                                                                           \
    }
PREDEFINED_ATTRIBUTE_FUNCTIONS()
PREDEFINED_ATTRIBUTE_FUNCTIONS(COMM_)
PREDEFINED_ATTRIBUTE_FUNCTIONS(TYPE_)
PREDEFINED_ATTRIBUTE_FUNCTIONS(WIN_)
