// Functions and data for Open MPI's libraries for Fortran (libmpi_mpifh, libmpi_usempif08) and C++ (libmpi_cxx). These
// libraries need symbols of Open MPI's library that are not MPI functions. Some of their functions read Open MPI's
// objects, so this file replaces those functions.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <calls_generated.h>
#include "mgen/abi/mpich/callbacks.h"
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/openmpi/own_calls.h"

// Functions for attributes that are integers (attribute_calls.cc).
EXPORTED int MPII_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag, int kind);
EXPORTED int MPII_Comm_set_attr(MPI_Comm comm, int key, void* value, int kind);
EXPORTED int MPII_Type_get_attr(MPI_Datatype type, int key, void* value, int* flag, int kind);
EXPORTED int MPII_Type_set_attr(MPI_Datatype type, int key, void* value, int kind);
EXPORTED int MPII_Win_get_attr(MPI_Win win, int key, void* value, int* flag, int kind);
EXPORTED int MPII_Win_set_attr(MPI_Win win, int key, void* value, int kind);

namespace {

using namespace haichi::abi::openmpi;
namespace mpich = haichi::abi::mpich;
using mpich::program_caller;

constexpr int kInteger = 1;  // the kind of an attribute that Fortran has set
// Numbers of the object kinds in Open MPI's Fortran library, for attributes and for error handlers.
constexpr int kCommAttribute = 1, kWinAttribute = 2, kTypeAttribute = 3;
constexpr int kCommHandler = 1, kWinHandler = 2, kFileHandler = 3;

template <class Handle>
MPI_Fint number(int of_mpich) {
    return number_in_fortran(handle_of_mpich<Handle>(of_mpich));
}

void give(MPI_Fint* to, int code) {
    if (to != nullptr) *to = code;
}

/// Attributes are of type MPI_Aint, or of type MPI_Fint for functions of MPI-1.
template <class Handle, class Integer>
int fortran_copy_attribute(MPI_Comm_copy_attr_function* copy, int object, int keyval, void* extra, int /*kind*/,
                           void* value, void** copied, int* flag) {
    using Function = void(MPI_Fint*, MPI_Fint*, Integer*, Integer*, Integer*, MPI_Fint*, MPI_Fint*);
    MPI_Fint given = number<Handle>(object);
    MPI_Fint key = keyval;
    auto of_key = static_cast<Integer>(reinterpret_cast<MPI_Aint>(extra));
    auto in = static_cast<Integer>(reinterpret_cast<MPI_Aint>(value));
    Integer out = 0;
    MPI_Fint code = MPI_SUCCESS;
    reinterpret_cast<Function*>(copy)(&given, &key, &of_key, &in, &out, flag, &code);
    *copied = reinterpret_cast<void*>(static_cast<MPI_Aint>(out));
    return error_code_of_mpich(code);
}

template <class Handle, class Integer>
int fortran_delete_attribute(MPI_Comm_delete_attr_function* erase, int object, int keyval, int /*kind*/, void* value,
                             void* extra) {
    using Function = void(MPI_Fint*, MPI_Fint*, Integer*, Integer*, MPI_Fint*);
    MPI_Fint given = number<Handle>(object);
    MPI_Fint key = keyval;
    auto in = static_cast<Integer>(reinterpret_cast<MPI_Aint>(value));
    auto of_key = static_cast<Integer>(reinterpret_cast<MPI_Aint>(extra));
    MPI_Fint code = MPI_SUCCESS;
    reinterpret_cast<Function*>(erase)(&given, &key, &in, &of_key, &code);
    return error_code_of_mpich(code);
}

template <class Integer>
int fortran_create_keyval(int kind, void* copy, void* erase, int* key, MPI_Aint extra) {
    auto* const of_key = reinterpret_cast<void*>(extra);
    const auto create = [&](auto make, auto handle) {
        make(reinterpret_cast<MPI_Comm_copy_attr_function*>(copy),
             reinterpret_cast<MPI_Comm_delete_attr_function*>(erase), key, of_key);
        mpich::Keyval& made = *mpich::MpichRank::current().keyvals.find(*key);
        made.copy_proxy = reinterpret_cast<void*>(fortran_copy_attribute<decltype(handle), Integer>);
        made.erase_proxy = reinterpret_cast<void*>(fortran_delete_attribute<decltype(handle), Integer>);
        return MPI_SUCCESS;
    };
    switch (kind) {
        case kCommAttribute:
            return create(mpich::Comm_create_keyval, Comm());
        case kWinAttribute:
            return create(mpich::Win_create_keyval, Win());
        default:
            return create(mpich::Type_create_keyval, Datatype());
    }
}

int fortran_set_attribute(int kind, void* object, int key, MPI_Aint value) {
    const int given = keyval_of_mpich(key);
    auto* const of_program = reinterpret_cast<void*>(value);
    switch (kind) {
        case kCommAttribute:
            return error_number(MPII_Comm_set_attr(handle(static_cast<Comm>(object)), given, of_program, kInteger));
        case kWinAttribute:
            return error_number(MPII_Win_set_attr(handle(static_cast<Win>(object)), given, of_program, kInteger));
        default:
            return error_number(MPII_Type_set_attr(handle(static_cast<Datatype>(object)), given, of_program, kInteger));
    }
}

template <class Handle, class Integer>
void fortran_get_attribute(int (*get)(int, int, void*, int*, int), const MPI_Fint* object, const MPI_Fint* key,
                           Integer* value, MPI_Fint* flag, MPI_Fint* code) {
    MPI_Aint found = 0;
    const int given = keyval_of_mpich(*key);
    const int of_call = get(handle(handle_of_fortran<Handle>(*object)), given, &found, flag, kInteger);
    if (of_call == MPI_SUCCESS && *flag != 0) {
        const bool is_rank = given == MPI_HOST || given == MPI_IO;
        *value = is_rank                  ? static_cast<Integer>(rank(static_cast<int>(found)))
                 : given == MPI_WIN_MODEL ? static_cast<Integer>(kUnifiedModel)
                                          : static_cast<Integer>(found);
    }
    give(code, error_number(of_call));
}

template <class Handle>
void fortran_call_errhandler(const mpich::Errhandler& of, int object, int code) {
    using Function = void(MPI_Fint*, MPI_Fint*, ...);
    MPI_Fint given = std::is_same_v<Handle, File> ? 0 : number<Handle>(object);
    MPI_Fint given_code = error_number(code);
    reinterpret_cast<Function*>(of.function)(&given, &given_code);
}

void fortran_call_op(void* function, void* in, void* inout, int* count, MPI_Datatype type) {
    MPI_Fint given = number<Datatype>(type);
    reinterpret_cast<void (*)(void*, void*, MPI_Fint*, MPI_Fint*)>(function)(in, inout, count, &given);
}

}  // namespace

// Defines a Fortran call that replaces the one in libmpi_mpifh, also under the name that the module mpi_f08 calls.
#define FORTRAN_CALL(NAME, PARAMETERS)                                                 \
    EXPORTED void mpi_##NAME##_ PARAMETERS;                                            \
    EXPORTED void pmpi_##NAME##_ PARAMETERS __attribute__((alias("mpi_" #NAME "_")));  \
    EXPORTED void ompi_##NAME##_f PARAMETERS __attribute__((alias("mpi_" #NAME "_"))); \
    void mpi_##NAME##_ PARAMETERS

FORTRAN_CALL(op_create, (void* function, const MPI_Fint* commutes, MPI_Fint* op, MPI_Fint* code)) {
    int made = MPI_OP_NULL;
    const int of_call = mpich::call("MPI_Op_create", CALLER,
                                    [&] { return mpich::create_op(function, fortran_call_op, *commutes, &made); });
    if (of_call == MPI_SUCCESS) *op = number<Op>(made);
    give(code, error_number(of_call));
}
FORTRAN_CALL(type_match_size, (const MPI_Fint* kind, const MPI_Fint* size, MPI_Fint* type, MPI_Fint* code)) {
    int found = MPI_DATATYPE_NULL;
    const int of_call = mpich::call("MPI_Type_match_size", CALLER,
                                    [&] { return mpich::Type_match_size(type_class(*kind), *size, &found); });
    if (of_call == MPI_SUCCESS) *type = number<Datatype>(found);
    give(code, error_number(of_call));
}
FORTRAN_CALL(attr_get, (const MPI_Fint* comm, const MPI_Fint* key, MPI_Fint* value, MPI_Fint* flag, MPI_Fint* code)) {
    fortran_get_attribute<Comm>(MPII_Comm_get_attr, comm, key, value, flag, code);
}
FORTRAN_CALL(comm_get_attr,
             (const MPI_Fint* comm, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* flag, MPI_Fint* code)) {
    fortran_get_attribute<Comm>(MPII_Comm_get_attr, comm, key, value, flag, code);
}
FORTRAN_CALL(type_get_attr,
             (const MPI_Fint* type, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* flag, MPI_Fint* code)) {
    fortran_get_attribute<Datatype>(MPII_Type_get_attr, type, key, value, flag, code);
}
FORTRAN_CALL(win_get_attr,
             (const MPI_Fint* win, const MPI_Fint* key, MPI_Aint* value, MPI_Fint* flag, MPI_Fint* code)) {
    fortran_get_attribute<Win>(MPII_Win_get_attr, win, key, value, flag, code);
}
FORTRAN_CALL(alltoallw, ()) { mpich::refuse("MPI_Alltoallw from Fortran"); }
FORTRAN_CALL(ialltoallw, ()) { mpich::refuse("MPI_Ialltoallw from Fortran"); }
FORTRAN_CALL(grequest_start, ()) { mpich::refuse("MPI_Grequest_start from Fortran"); }

// Calls that store requests. In Open MPI, these read a request's number from its object.

extern "C" {
extern void* mpi_fortran_status_ignore_;
extern void* mpi_fortran_statuses_ignore_;
}

namespace {

/// The Fortran handles of requests during a call. These are MPICH's handles, except for MPI_REQUEST_NULL.
class FortranRequests {
  public:
    FortranRequests(MPI_Fint* of_program, int count) : of_program_(of_program) {
        for (int i = 0; i < count; ++i) of_mpich_.push_back(handle(handle_of_fortran<Request>(of_program[i])));
    }
    ~FortranRequests() { std::ranges::transform(of_mpich_, of_program_, number<Request>); }
    FortranRequests(const FortranRequests&) = delete;
    FortranRequests& operator=(const FortranRequests&) = delete;
    operator int*() { return of_mpich_.data(); }  // NOLINT(google-explicit-constructor)

  private:
    MPI_Fint* of_program_;
    std::vector<int> of_mpich_;
};

/// The address of a status, or null for MPI_STATUS_IGNORE; a status has the same layout in C and in Fortran.
Status* status_or_null(MPI_Fint* of_program) {
    const void* const place = of_program;
    const bool is_ignored = place == &mpi_fortran_status_ignore_ || place == &mpi_fortran_statuses_ignore_;
    return is_ignored ? nullptr : reinterpret_cast<Status*>(of_program);
}

/// Converts the index of a request from C to Fortran.
void begin_at_one(MPI_Fint& index) {
    if (index != MPI_UNDEFINED) ++index;
}

}  // namespace

FORTRAN_CALL(request_free, (MPI_Fint * request, MPI_Fint* code)) {
    give(code, error_number(mpich::call("MPI_Request_free", CALLER,
                                        [&] { return mpich::Request_free(FortranRequests(request, 1)); })));
}
FORTRAN_CALL(wait, (MPI_Fint * request, MPI_Fint* status, MPI_Fint* code)) {
    give(code, error_number(mpich::call("MPI_Wait", CALLER, [&] {
             return mpich::Wait(FortranRequests(request, 1), StatusPlace(status_or_null(status)));
         })));
}
FORTRAN_CALL(test, (MPI_Fint * request, MPI_Fint* flag, MPI_Fint* status, MPI_Fint* code)) {
    give(code, error_number(mpich::call("MPI_Test", CALLER, [&] {
             return mpich::Test(FortranRequests(request, 1), flag, StatusPlace(status_or_null(status)));
         })));
}
FORTRAN_CALL(waitall, (const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* code)) {
    give(code, error_number(mpich::call("MPI_Waitall", CALLER, [&] {
             return mpich::Waitall(*count, FortranRequests(requests, *count),
                                   Statuses(status_or_null(statuses), *count));
         })));
}
FORTRAN_CALL(testall, (const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* flag, MPI_Fint* statuses, MPI_Fint* code)) {
    give(code, error_number(mpich::call("MPI_Testall", CALLER, [&] {
             return mpich::Testall(*count, FortranRequests(requests, *count), flag,
                                   Statuses(status_or_null(statuses), *count));
         })));
}
FORTRAN_CALL(waitany, (const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status, MPI_Fint* code)) {
    *index = MPI_UNDEFINED;  // this value remains if the call fails
    const int of_call = mpich::call("MPI_Waitany", CALLER, [&] {
        return mpich::Waitany(*count, FortranRequests(requests, *count), index, StatusPlace(status_or_null(status)));
    });
    begin_at_one(*index);
    give(code, error_number(of_call));
}
FORTRAN_CALL(testany, (const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* flag, MPI_Fint* status,
                       MPI_Fint* code)) {
    *index = MPI_UNDEFINED;  // this value remains if the call fails
    const int of_call = mpich::call("MPI_Testany", CALLER, [&] {
        return mpich::Testany(*count, FortranRequests(requests, *count), index, flag,
                              StatusPlace(status_or_null(status)));
    });
    begin_at_one(*index);
    give(code, error_number(of_call));
}
FORTRAN_CALL(waitsome, (const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices,
                        MPI_Fint* statuses, MPI_Fint* code)) {
    *done = 0;  // this value remains if the call fails
    const int of_call = mpich::call("MPI_Waitsome", CALLER, [&] {
        return mpich::Waitsome(*count, FortranRequests(requests, *count), done, indices,
                               Statuses(status_or_null(statuses), *count));
    });
    for (int i = 0; i < *done; ++i) begin_at_one(indices[i]);
    give(code, error_number(of_call));
}
FORTRAN_CALL(testsome, (const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices,
                        MPI_Fint* statuses, MPI_Fint* code)) {
    *done = 0;  // this value remains if the call fails
    const int of_call = mpich::call("MPI_Testsome", CALLER, [&] {
        return mpich::Testsome(*count, FortranRequests(requests, *count), done, indices,
                               Statuses(status_or_null(statuses), *count));
    });
    for (int i = 0; i < *done; ++i) begin_at_one(indices[i]);
    give(code, error_number(of_call));
}

// Predefined attribute functions. Those of MPI-1 take integers, the others take addresses.
#define ATTRIBUTE_FUNCTIONS(KIND, INTEGER)                                                                          \
    FORTRAN_CALL(KIND##null_copy_fn,                                                                                \
                 (MPI_Fint*, MPI_Fint*, INTEGER*, INTEGER*, INTEGER*, MPI_Fint * flag, MPI_Fint * code)) {          \
        *flag = 0;                                                                                                  \
        *code = MPI_SUCCESS;                                                                                        \
    }                                                                                                               \
    FORTRAN_CALL(KIND##null_delete_fn, (MPI_Fint*, MPI_Fint*, INTEGER*, INTEGER*, MPI_Fint * code)) {               \
        *code = MPI_SUCCESS;                                                                                        \
    }                                                                                                               \
    FORTRAN_CALL(KIND##dup_fn,                                                                                      \
                 (MPI_Fint*, MPI_Fint*, INTEGER*, INTEGER * in, INTEGER * out, MPI_Fint * flag, MPI_Fint * code)) { \
        *out = *in;                                                                                                 \
        *flag = 1;                                                                                                  \
        *code = MPI_SUCCESS;                                                                                        \
    }
ATTRIBUTE_FUNCTIONS(, MPI_Fint)
ATTRIBUTE_FUNCTIONS(comm_, MPI_Aint)
ATTRIBUTE_FUNCTIONS(type_, MPI_Aint)
ATTRIBUTE_FUNCTIONS(win_, MPI_Aint)
EXPORTED void mpi_conversion_fn_null_() { mpich::refuse("MPI_CONVERSION_FN_NULL"); }

EXPORTED double mpi_wtime_f90_() {
    return mpich::call("MPI_Wtime", CALLER, [] { return mpich::Wtime(); });
}
EXPORTED double mpi_wtick_f90_() {
    return mpich::call("MPI_Wtick", CALLER, [] { return mpich::Wtick(); });
}
EXPORTED MPI_Aint mpi_aint_add_f90_(const MPI_Aint* base, const MPI_Aint* distance) { return *base + *distance; }
EXPORTED MPI_Aint mpi_aint_diff_f90_(const MPI_Aint* first, const MPI_Aint* second) { return *first - *second; }

#define DATA __attribute__((visibility("default")))
extern "C" {
// The Fortran library and programs compare addresses with these constants.
DATA void* mpi_fortran_argv_null_ = nullptr;
DATA void* mpi_fortran_argvs_null_ = nullptr;
DATA void* mpi_fortran_bottom_ = nullptr;
DATA void* mpi_fortran_errcodes_ignore_ = nullptr;
DATA void* mpi_fortran_in_place_ = nullptr;
DATA void* mpi_fortran_status_ignore_ = nullptr;
DATA void* mpi_fortran_statuses_ignore_ = nullptr;
DATA void* mpi_fortran_unweighted_ = nullptr;
DATA void* mpi_fortran_weights_empty_ = nullptr;

DATA bool ompi_mpi_param_check = false;
DATA int ompi_mpi_state = 0;                // read only by argument checks
DATA int ompi_errcode_intern_lastused = 0;  // the last predefined code, because the program has added none
DATA std::byte ompi_errcodes_intern[256] = {};
DATA std::byte ompi_registered_datareps[128] = {};  // files are not simulated
DATA Status ompi_status_empty = {.source = -1, .tag = -1, .error = MPI_SUCCESS, .cancelled = 0, .bytes = 0};
}

// Symbols of Open MPI's library that only the Fortran library calls.
EXPORTED int ompi_attr_create_keyval_aint(int kind, void* copy, void* erase, int* key, MPI_Aint extra, int /*flags*/,
                                          void* /*bindings*/) {
    return fortran_create_keyval<MPI_Aint>(kind, copy, erase, key, extra);
}
EXPORTED int ompi_attr_create_keyval_fint(int kind, void* copy, void* erase, int* key, MPI_Fint extra, int /*flags*/,
                                          void* /*bindings*/) {
    return fortran_create_keyval<MPI_Fint>(kind, copy, erase, key, extra);
}
EXPORTED int ompi_attr_set_aint(int kind, void* object, void* /*table*/, int key, MPI_Aint value, bool /*is_own*/) {
    return fortran_set_attribute(kind, object, key, value);
}
EXPORTED int ompi_attr_set_fint(int kind, void* object, void* /*table*/, int key, MPI_Fint value, bool /*is_own*/) {
    return fortran_set_attribute(kind, object, key, value);
}
EXPORTED int ompi_attr_get_aint() { mpich::refuse("ompi_attr_get_aint"); }
EXPORTED int ompi_attr_get_fint() { mpich::refuse("ompi_attr_get_fint"); }
EXPORTED void* ompi_datatype_match_size() { mpich::refuse("ompi_datatype_match_size"); }

EXPORTED Errhandler ompi_errhandler_create(int kind, void (*function)(int*, int*, ...), int language) {
    constexpr int kFortran = 2;
    if (language != kFortran) mpich::refuse("MPI::Comm::Create_errhandler");
    int made = MPI_ERRHANDLER_NULL;
    mpich::Comm_create_errhandler(reinterpret_cast<MPI_Comm_errhandler_function*>(function), &made);
    mpich::Errhandler& own = *mpich::MpichRank::current().errhandlers.find(made);
    own.kind = kind == kWinHandler    ? mpich::Errhandler::Kind::kWin
               : kind == kFileHandler ? mpich::Errhandler::Kind::kFile
                                      : mpich::Errhandler::Kind::kComm;
    own.call = kind == kWinHandler    ? fortran_call_errhandler<Win>
               : kind == kFileHandler ? fortran_call_errhandler<File>
                                      : fortran_call_errhandler<Comm>;
    return handle_of_mpich<Errhandler>(made);
}
/// Passes an error that the Fortran library has found to the error handler of MPI_COMM_WORLD.
EXPORTED int ompi_errhandler_invoke(void* /*handler*/, void* /*object*/, int /*kind*/, int code, const char* name) {
    const int of_mpich = error_code_of_mpich(code);
    mpich::call(name, CALLER, [&] { return mpich::Comm_call_errhandler(MPI_COMM_WORLD, of_mpich); });
    return code;
}
EXPORTED void ompi_mpi_errors_are_fatal_comm_handler() { mpich::refuse("ompi_mpi_errors_are_fatal_comm_handler"); }

/// Copies a Fortran string into a new C string, without the blanks at both ends.
EXPORTED int ompi_fortran_string_f2c(const char* text, int length, char** made) {
    std::string_view of(text, static_cast<std::size_t>(length));
    const std::size_t begin = of.find_first_not_of(' ');
    of = begin == std::string_view::npos ? "" : of.substr(begin, of.find_last_not_of(' ') + 1 - begin);
    *made = static_cast<char*>(std::malloc(of.size() + 1));
    if (*made == nullptr) return MPI_ERR_OTHER;
    std::memcpy(*made, of.data(), of.size());
    (*made)[of.size()] = '\0';
    return MPI_SUCCESS;
}
EXPORTED int ompi_fortran_string_c2f(const char* text, char* to, int length) {
    const std::size_t size = std::min(std::strlen(text), static_cast<std::size_t>(length));
    std::memcpy(to, text, size);
    std::memset(to + size, ' ', static_cast<std::size_t>(length) - size);
    return MPI_SUCCESS;
}
EXPORTED int ompi_fortran_argv_blank_f2c() { mpich::refuse("MPI_Comm_spawn"); }
EXPORTED int ompi_fortran_argv_count_f2c() { mpich::refuse("MPI_Comm_spawn"); }
EXPORTED int ompi_fortran_multiple_argvs_f2c() { mpich::refuse("MPI_Comm_spawn_multiple"); }

// These calls of the C++ library are refused, because they pass functions of the program through Open MPI's own
// objects.
EXPORTED int ompi_attr_create_keyval() { mpich::refuse("MPI::Comm::Create_keyval"); }
EXPORTED void ompi_op_set_cxx_callback() { mpich::refuse("MPI::Op::Init"); }
