// Error handlers, error classes, error codes and their texts.

#include <cstring>
#include <string>

#include <calls_generated.h>
#include "mgen/abi/mpich/error_text.h"
#include "mgen/abi/mpich/guard.h"
#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

namespace {

// The fields of MPICH's error codes: the class, a bit for codes that the program has added, and the code number.
constexpr int kClassMask = 0x7F;
constexpr int kAddedBit = 0x80;
constexpr int kCodeShift = 8;
constexpr int kCodes = 0x7FF;
constexpr int kCodeMask = kCodes << kCodeShift;

int class_of(int code) { return code & (kClassMask | kAddedBit); }

bool is_predefined(MPI_Errhandler handle) {
    return handle == MPI_ERRORS_ARE_FATAL || handle == MPI_ERRORS_RETURN || handle == MPI_ERRORS_ABORT ||
           handle == MPIR_ERRORS_THROW_EXCEPTIONS;
}

template <class Function>
int create(Errhandler::Kind kind, Function* function, MPI_Errhandler* handle) {
    *handle = MpichRank::current().errhandlers.add(
        {.kind = kind, .function = reinterpret_cast<decltype(Errhandler::function)>(function), .uses = 1});
    return MPI_SUCCESS;
}

int set(MPI_Errhandler handle, Errhandler::Kind kind, MPI_Errhandler* in) {
    MpichRank& state = MpichRank::current();
    if (const Errhandler* own = state.errhandlers.find(handle); own != nullptr && own->kind != kind) {
        raise(mpi::ErrorClass::kArgument, "the error handler was made for another kind of object");
    }
    const MPI_Errhandler kept = state.keep_errhandler(handle);
    state.release_errhandler(std::exchange(*in, kept));
    return MPI_SUCCESS;
}

int get(MPI_Errhandler of, MPI_Errhandler* handle) {
    *handle = MpichRank::current().keep_errhandler(of);
    return MPI_SUCCESS;
}

int tell(MPI_Errhandler handler, int object, int code) {
    tell_handler(handler, object, code,
                 "the program reports the error " + std::to_string(code) + ": " + error_text(code), {});
    return MPI_SUCCESS;
}

int lowest_free(const std::map<int, std::string>& used, int end, const char* what) {
    int free = 1;
    while (used.contains(free)) ++free;
    if (free >= end) raise(mpi::ErrorClass::kOther, std::string("all ") + what + " are in use");
    return free;
}

/// The text of a class or code that the program has added; null for other codes.
std::string* added_text(int code) {
    UserErrors& errors = MpichRank::current().user_errors;
    if ((code & ~(kClassMask | kAddedBit | kCodeMask)) != 0) return nullptr;
    const int of_class = (code & kCodeMask) >> kCodeShift;
    auto& texts = of_class != 0 ? errors.codes : errors.classes;
    const auto found = texts.find(of_class != 0 ? of_class : code & kClassMask);
    return found != texts.end() ? &found->second : nullptr;
}

void check_added(int code) {
    if (code < 0 || code > MPI_ERR_LASTCODE || added_text(code) == nullptr) {
        raise(mpi::ErrorClass::kArgument, "invalid error: " + std::to_string(code) + " (the program has not added it)");
    }
}

}  // namespace

std::string error_text(int code) {
    if ((code & kAddedBit) != 0 || (code & kCodeMask) != 0) {
        if (const std::string* text = added_text(code)) return *text;
    }
    return class_text(code & kClassMask);
}

MPI_Errhandler MpichRank::keep_errhandler(MPI_Errhandler handle) {
    if (is_predefined(handle)) return handle;
    Errhandler* own = errhandlers.find(handle);
    if (own == nullptr) {
        raise(mpi::ErrorClass::kArgument, handle == MPI_ERRHANDLER_NULL
                                              ? "the error handler is MPI_ERRHANDLER_NULL"
                                              : "invalid error handler: " + hexadecimal(handle));
    }
    ++own->uses;
    return handle;
}

void MpichRank::release_errhandler(MPI_Errhandler handle) {
    if (Errhandler* own = errhandlers.find(handle); own != nullptr && --own->uses == 0) errhandlers.take(handle);
}

int Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handle) {
    return create(Errhandler::Kind::kComm, function, handle);
}
int Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handle) {
    return create(Errhandler::Kind::kComm, function, handle);
}
int Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* handle) {
    return create(Errhandler::Kind::kWin, function, handle);
}
int File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* handle) {
    return create(Errhandler::Kind::kFile, function, handle);
}
int Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* handle) {
    return create(Errhandler::Kind::kSession, function, handle);
}
int Errhandler_free(MPI_Errhandler* handle) {
    MpichRank& state = MpichRank::current();
    if (!is_predefined(*handle)) {
        state.keep_errhandler(*handle);
        state.release_errhandler(*handle);
        state.release_errhandler(*handle);
    }
    *handle = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

int Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handle) {
    return set(handle, Errhandler::Kind::kComm, &MpichRank::current().comm(comm).errhandler);
}
int Errhandler_set(MPI_Comm comm, MPI_Errhandler handle) { return Comm_set_errhandler(comm, handle); }
int Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handle) {
    return get(MpichRank::current().comm(comm).errhandler, handle);
}
int Errhandler_get(MPI_Comm comm, MPI_Errhandler* handle) { return Comm_get_errhandler(comm, handle); }
int Comm_call_errhandler(MPI_Comm comm, int code) {
    return tell(MpichRank::current().comm(comm).errhandler, comm, code);
}

int Win_set_errhandler(MPI_Win win, MPI_Errhandler handle) {
    return set(handle, Errhandler::Kind::kWin, &MpichRank::current().win(win).errhandler);
}
int Win_get_errhandler(MPI_Win win, MPI_Errhandler* handle) {
    return get(MpichRank::current().win(win).errhandler, handle);
}
int Win_call_errhandler(MPI_Win win, int code) { return tell(MpichRank::current().win(win).errhandler, win, code); }

int Session_set_errhandler(MPI_Session session, MPI_Errhandler handle) {
    return set(handle, Errhandler::Kind::kSession, &MpichRank::current().session(session).errhandler);
}
int Session_get_errhandler(MPI_Session session, MPI_Errhandler* handle) {
    return get(MpichRank::current().session(session).errhandler, handle);
}
int Session_call_errhandler(MPI_Session session, int code) {
    return tell(MpichRank::current().session(session).errhandler, session, code);
}

// Live programs open no MPI files. MPI_FILE_NULL has the default error handler of new files.
namespace {
void check_no_file(MPI_File file) {
    if (file != MPI_FILE_NULL) raise_code(MPI_ERR_FILE, "invalid file: the only file is MPI_FILE_NULL");
}
}  // namespace
int File_set_errhandler(MPI_File file, MPI_Errhandler handle) {
    check_no_file(file);
    return set(handle, Errhandler::Kind::kFile, &MpichRank::current().file_errhandler);
}
int File_get_errhandler(MPI_File file, MPI_Errhandler* handle) {
    check_no_file(file);
    return get(MpichRank::current().file_errhandler, handle);
}

int Error_class(int code, int* error_class) {
    *error_class = class_of(code);
    return MPI_SUCCESS;
}
int Error_string(int code, char* text, int* length) {
    const std::string of_code = error_text(code).substr(0, MPI_MAX_ERROR_STRING - 1);
    std::strcpy(text, of_code.c_str());
    *length = static_cast<int>(of_code.size());
    return MPI_SUCCESS;
}

int Add_error_class(int* error_class) {
    auto& classes = MpichRank::current().user_errors.classes;
    const int own = lowest_free(classes, kClassMask + 1, "error classes");
    classes[own] = "";
    *error_class = own | kAddedBit;
    return MPI_SUCCESS;
}
int Add_error_code(int error_class, int* code) {
    auto& codes = MpichRank::current().user_errors.codes;
    if (error_class < 0 || error_class != class_of(error_class)) {
        raise(mpi::ErrorClass::kArgument, "invalid error class: " + std::to_string(error_class));
    }
    const int own = lowest_free(codes, kCodes + 1, "error codes");
    codes[own] = "";
    *code = error_class | own << kCodeShift;
    return MPI_SUCCESS;
}
int Add_error_string(int code, const char* text) {
    check_added(code);
    *added_text(code) = text;
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich

using namespace haichi::abi::mpich;

EXPORTED int PMPIX_Delete_error_class(int error_class) {
    return call("MPIX_Delete_error_class", CALLER, [&] {
        check_added(error_class);
        MpichRank::current().user_errors.classes.erase(error_class & kClassMask);
        return MPI_SUCCESS;
    });
}
EXPORTED_WEAK("PMPIX_Delete_error_class") int MPIX_Delete_error_class(int error_class);
EXPORTED int PMPIX_Delete_error_code(int code) {
    return call("MPIX_Delete_error_code", CALLER, [&] {
        check_added(code);
        MpichRank::current().user_errors.codes.erase((code & kCodeMask) >> kCodeShift);
        return MPI_SUCCESS;
    });
}
EXPORTED_WEAK("PMPIX_Delete_error_code") int MPIX_Delete_error_code(int code);
EXPORTED int PMPIX_Delete_error_string(int code) {
    return call("MPIX_Delete_error_string", CALLER, [&] {
        check_added(code);
        added_text(code)->clear();
        return MPI_SUCCESS;
    });
}
EXPORTED_WEAK("PMPIX_Delete_error_string") int MPIX_Delete_error_string(int code);
