// Attributes: keys, values, predefined attributes, and entry points for MPICH's Fortran library.

#include <algorithm>
#include <array>
#include <string>

#include <calls_generated.h>
#include "mgen/abi/mpich/attributes.h"
#include "mgen/abi/mpich/callbacks.h"
#include "mgen/abi/mpich/guard.h"
#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

namespace {

// The kind of an attribute's value, from MPIR_Attr_type. The kinds that Fortran uses are integers.
constexpr int kPointer = 0;  // the other kinds are integers: 1 has the size of an address, 3 is an int

// The functions for communicators, types and windows differ only in the type of the handle.
template <class Function>
Function* as(void* function) {
    return reinterpret_cast<Function*>(function);
}

/// A function of the program may make MPI calls. This guard restores the communicator of the outer call afterwards.
class CallOfProgram {
  public:
    explicit CallOfProgram(MpichRank& state) : state_(state), comm_(state.call_comm) {}
    ~CallOfProgram() { state_.call_comm = comm_; }
    CallOfProgram(const CallOfProgram&) = delete;
    CallOfProgram& operator=(const CallOfProgram&) = delete;

  private:
    MpichRank& state_;
    MPI_Comm comm_;
};

int erase_code(MpichRank& state, int handle, Attributes::Value& of) {
    const Keyval& keyval = *state.keyvals.find(of.keyval);
    if (keyval.erase == nullptr) return MPI_SUCCESS;
    const CallOfProgram guard(state);
    auto* function = as<MPI_Comm_delete_attr_function>(keyval.erase);
    if (keyval.erase_proxy != nullptr) {
        return as<DeleteProxy>(keyval.erase_proxy)(function, handle, of.keyval, of.kind, of.value, keyval.extra);
    }
    return function(handle, of.keyval, of.kind == kPointer ? of.value : &of.value, keyval.extra);
}

int copy_code(MpichRank& state, int handle, Attributes::Value of, void** copied, int* flag) {
    const Keyval& keyval = *state.keyvals.find(of.keyval);
    if (keyval.copy == nullptr) return MPI_SUCCESS;
    const CallOfProgram guard(state);
    auto* function = as<MPI_Comm_copy_attr_function>(keyval.copy);
    if (keyval.copy_proxy != nullptr) {
        return as<CopyProxy>(keyval.copy_proxy)(function, handle, of.keyval, keyval.extra, of.kind, of.value, copied,
                                                flag);
    }
    return function(handle, of.keyval, keyval.extra, of.kind == kPointer ? of.value : &of.value, copied, flag);
}

void release_keyval(MpichRank& state, int handle) {
    Keyval& keyval = *state.keyvals.find(handle);
    if (--keyval.uses == 0 && keyval.is_freed) state.keyvals.take(handle);
}

std::list<Attributes::Value>::iterator find_value(Attributes& in, int keyval) {
    return std::ranges::find(in.values, keyval, &Attributes::Value::keyval);
}

[[noreturn]] void raise_returned(const char* which, int code) {
    raise_code(code, std::string("the ") + which + " function of an attribute returned " + std::to_string(code));
}

void set(MpichRank& state, int handle, Attributes& in, Keyval::Kind kind, int key, void* value, int value_kind) {
    Keyval& keyval = state.keyval(key, kind);
    if (const auto found = find_value(in, key); found != in.values.end()) {
        if (const int code = erase_code(state, handle, *found); code != MPI_SUCCESS) raise_returned("delete", code);
        found->value = value;
        found->kind = value_kind;
        return;
    }
    in.values.push_front({key, value, value_kind});
    ++keyval.uses;
}

int get(Attributes& in, int key, void* value, int* flag, int wanted_kind) {
    const auto found = find_value(in, key);
    *flag = found != in.values.end() ? 1 : 0;
    if (*flag == 0) return MPI_SUCCESS;
    // If Fortran has set the attribute, C gets the address of the integer.
    const bool is_address = wanted_kind == kPointer && found->kind != kPointer;
    *static_cast<void**>(value) = is_address ? static_cast<void*>(&found->value) : found->value;
    return MPI_SUCCESS;
}

int erase(MpichRank& state, int handle, Attributes& in, Keyval::Kind kind, int key) {
    state.keyval(key, kind);
    if (const auto found = find_value(in, key); found != in.values.end()) {
        if (const int code = erase_code(state, handle, *found); code != MPI_SUCCESS) raise_returned("delete", code);
        in.values.erase(found);
        release_keyval(state, key);
    }
    return MPI_SUCCESS;
}

int create(Keyval::Kind kind, void* copy, void* erase, int* key, void* extra) {
    *key =
        MpichRank::current().keyvals.add(Keyval{.kind = kind, .copy = copy, .erase = erase, .extra = extra, .uses = 0});
    return MPI_SUCCESS;
}

int free_keyval(Keyval::Kind kind, int* key) {
    MpichRank& state = MpichRank::current();
    Keyval& keyval = state.keyval(*key, kind);
    keyval.is_freed = true;
    if (keyval.uses == 0) state.keyvals.take(*key);
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/// MPICH has two keys for each predefined attribute: the one for Fortran is one higher than the one for C.
bool get_predefined(MpichRank& state, int key, void* value, int* flag, int wanted_kind) {
    struct Predefined {
        int key;
        int value;
        bool is_set;
    };
    // The simulated clock is global (MPI_WTIME_IS_GLOBAL). The maximum number of ranks is unknown, as in a run without
    // a resource manager.
    static constexpr std::array kPredefined = {
        Predefined{MPI_TAG_UB, kLargestTag, true},
        Predefined{MPI_HOST, MPI_PROC_NULL, true},
        Predefined{MPI_IO, MPI_ANY_SOURCE, true},
        Predefined{MPI_WTIME_IS_GLOBAL, 1, true},
        Predefined{MPI_UNIVERSE_SIZE, 0, false},
        Predefined{MPI_APPNUM, 0, true},
        Predefined{MPI_LASTUSEDCODE, MPI_ERR_LASTCODE, true},
    };
    for (std::size_t p = 0; p < kPredefined.size(); ++p) {
        const Predefined& of = kPredefined[p];
        if (key != of.key && key != of.key + 1) continue;
        *flag = of.is_set ? 1 : 0;
        if (!of.is_set) return true;
        state.shown_attributes[p] = of.value;
        if (wanted_kind == kPointer) {
            *static_cast<void**>(value) = &state.shown_attributes[p];
        } else {
            *static_cast<std::intptr_t*>(value) = of.value;
        }
        return true;
    }
    return false;
}

int get_of_comm(MPI_Comm handle, int key, void* value, int* flag, int wanted_kind) {
    MpichRank& state = MpichRank::current();
    Comm& comm = state.comm(handle);
    if (get_predefined(state, key, value, flag, wanted_kind)) return MPI_SUCCESS;
    state.keyval(key, Keyval::Kind::kComm);
    return get(comm.attributes, key, value, flag, wanted_kind);
}

int set_of_comm(MPI_Comm handle, int key, void* value, int kind) {
    MpichRank& state = MpichRank::current();
    set(state, handle, state.comm(handle).attributes, Keyval::Kind::kComm, key, value, kind);
    return MPI_SUCCESS;
}

int get_of_type(MPI_Datatype handle, int key, void* value, int* flag, int wanted_kind) {
    MpichRank& state = MpichRank::current();
    Attributes& attributes = attributes_of_type(state, handle);
    state.keyval(key, Keyval::Kind::kType);
    return get(attributes, key, value, flag, wanted_kind);
}

int set_of_type(MPI_Datatype handle, int key, void* value, int kind) {
    MpichRank& state = MpichRank::current();
    set(state, handle, attributes_of_type(state, handle), Keyval::Kind::kType, key, value, kind);
    return MPI_SUCCESS;
}

/// The predefined attributes of a window. In MPICH, the key for Fortran is one higher than the key for C.
bool get_predefined_of_win(Win& win, int key, void* value, int* flag, int wanted_kind) {
    const mpi::Window& window = *win.window;
    const mpi::WindowPart& part = window.own_part();
    const auto give = [&](const void* address, std::intptr_t number) {
        *flag = 1;
        // C gets an address, Fortran the value itself.
        *static_cast<std::intptr_t*>(value) =
            wanted_kind == kPointer ? reinterpret_cast<std::intptr_t>(address) : number;
        return true;
    };
    switch (key) {
        case MPI_WIN_BASE:
        case MPI_WIN_BASE + 1:
            return give(part.base, reinterpret_cast<std::intptr_t>(part.base));
        case MPI_WIN_SIZE:
        case MPI_WIN_SIZE + 1:
            win.shown_bytes = part.bytes;
            return give(&win.shown_bytes, win.shown_bytes);
        case MPI_WIN_DISP_UNIT:
        case MPI_WIN_DISP_UNIT + 1:
            win.shown_unit = static_cast<int>(part.displacement_unit);
            return give(&win.shown_unit, win.shown_unit);
        case MPI_WIN_CREATE_FLAVOR:
        case MPI_WIN_CREATE_FLAVOR + 1:
            win.shown_flavor = flavor_number(window.flavor());
            return give(&win.shown_flavor, win.shown_flavor);
        case MPI_WIN_MODEL:
        case MPI_WIN_MODEL + 1:
            win.shown_model = MPI_WIN_UNIFIED;
            return give(&win.shown_model, win.shown_model);
        default:
            return false;
    }
}

int get_of_win(MPI_Win handle, int key, void* value, int* flag, int wanted_kind) {
    MpichRank& state = MpichRank::current();
    Win& win = state.win(handle);
    if (get_predefined_of_win(win, key, value, flag, wanted_kind)) return MPI_SUCCESS;
    state.keyval(key, Keyval::Kind::kWin);
    return get(win.attributes, key, value, flag, wanted_kind);
}

int set_of_win(MPI_Win handle, int key, void* value, int kind) {
    MpichRank& state = MpichRank::current();
    set(state, handle, state.win(handle).attributes, Keyval::Kind::kWin, key, value, kind);
    return MPI_SUCCESS;
}

}  // namespace

int flavor_number(mpi::WindowFlavor flavor) {
    switch (flavor) {
        case mpi::WindowFlavor::kCreated:
            return MPI_WIN_FLAVOR_CREATE;
        case mpi::WindowFlavor::kAllocated:
            return MPI_WIN_FLAVOR_ALLOCATE;
        case mpi::WindowFlavor::kDynamic:
            return MPI_WIN_FLAVOR_DYNAMIC;
        case mpi::WindowFlavor::kShared:
            break;
    }
    return MPI_WIN_FLAVOR_SHARED;
}

Attributes& attributes_of_type(MpichRank& state, MPI_Datatype handle) {
    state.type(handle);
    Type* made = state.types.find(handle);
    return made != nullptr ? made->attributes : state.named_types[handle].attributes;
}

void copy_attributes(MpichRank& state, int handle, const Attributes& from, Attributes& to) {
    for (const Attributes::Value& value : from.values) {
        void* copied = nullptr;
        int flag = 0;
        if (const int code = copy_code(state, handle, value, &copied, &flag); code != MPI_SUCCESS) {
            raise_returned("copy", code);
        }
        if (flag == 0) continue;
        ++state.keyvals.find(value.keyval)->uses;
        to.values.push_back({value.keyval, copied, value.kind});
    }
}

void delete_attributes(MpichRank& state, int handle, Attributes& of) {
    int code = MPI_SUCCESS;
    while (!of.values.empty()) {
        // The attribute still exists during this call, because the delete function may read the other attributes.
        Attributes::Value value = of.values.front();
        code = erase_code(state, handle, value);
        std::erase_if(of.values, [&](const Attributes::Value& other) { return other.keyval == value.keyval; });
        release_keyval(state, value.keyval);
    }
    if (code != MPI_SUCCESS) raise_returned("delete", code);
}

void MpichRank::end_attributes() {
    delete_attributes(*this, MPI_COMM_SELF, self.attributes);
    delete_attributes(*this, MPI_COMM_WORLD, world.attributes);
}

int Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase, int* key, void* extra) {
    return create(Keyval::Kind::kComm, reinterpret_cast<void*>(copy), reinterpret_cast<void*>(erase), key, extra);
}
int Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* erase, int* key, void* extra) {
    return create(Keyval::Kind::kComm, reinterpret_cast<void*>(copy), reinterpret_cast<void*>(erase), key, extra);
}
int Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* erase, int* key, void* extra) {
    return create(Keyval::Kind::kType, reinterpret_cast<void*>(copy), reinterpret_cast<void*>(erase), key, extra);
}
int Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* erase, int* key, void* extra) {
    return create(Keyval::Kind::kWin, reinterpret_cast<void*>(copy), reinterpret_cast<void*>(erase), key, extra);
}
int Comm_free_keyval(int* key) { return free_keyval(Keyval::Kind::kComm, key); }
int Keyval_free(int* key) { return free_keyval(Keyval::Kind::kComm, key); }
int Type_free_keyval(int* key) { return free_keyval(Keyval::Kind::kType, key); }
int Win_free_keyval(int* key) { return free_keyval(Keyval::Kind::kWin, key); }

int Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
    return get_of_comm(comm, key, value, flag, kPointer);
}
int Attr_get(MPI_Comm comm, int key, void* value, int* flag) { return get_of_comm(comm, key, value, flag, kPointer); }
int Comm_set_attr(MPI_Comm comm, int key, void* value) { return set_of_comm(comm, key, value, kPointer); }
int Attr_put(MPI_Comm comm, int key, void* value) { return set_of_comm(comm, key, value, kPointer); }
int Comm_delete_attr(MPI_Comm handle, int key) {
    MpichRank& state = MpichRank::current();
    return erase(state, handle, state.comm(handle).attributes, Keyval::Kind::kComm, key);
}
int Attr_delete(MPI_Comm comm, int key) { return Comm_delete_attr(comm, key); }

int Type_get_attr(MPI_Datatype type, int key, void* value, int* flag) {
    return get_of_type(type, key, value, flag, kPointer);
}
int Type_set_attr(MPI_Datatype type, int key, void* value) { return set_of_type(type, key, value, kPointer); }
int Type_delete_attr(MPI_Datatype handle, int key) {
    MpichRank& state = MpichRank::current();
    return erase(state, handle, attributes_of_type(state, handle), Keyval::Kind::kType, key);
}

int Win_get_attr(MPI_Win win, int key, void* value, int* flag) { return get_of_win(win, key, value, flag, kPointer); }
int Win_set_attr(MPI_Win win, int key, void* value) { return set_of_win(win, key, value, kPointer); }
int Win_delete_attr(MPI_Win handle, int key) {
    MpichRank& state = MpichRank::current();
    return erase(state, handle, state.win(handle).attributes, Keyval::Kind::kWin, key);
}

}  // namespace haichi::abi::mpich

// Entry points for libmpichfort.so.12, and MPI_DUP_FN.

using namespace haichi::abi::mpich;

EXPORTED int MPIR_Dup_fn(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* value, void* copied, int* flag) {
    *static_cast<void**>(copied) = value;
    *flag = 1;
    return MPI_SUCCESS;
}

// The Fortran library's proxy functions call the program's functions as Fortran does.
EXPORTED void MPII_Keyval_set_proxy(int handle, void* copy, void* erase) {
    if (Keyval* keyval = MpichRank::current().keyvals.find(handle)) {
        keyval->copy_proxy = copy;
        keyval->erase_proxy = erase;
    }
}
EXPORTED int MPII_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag, int kind) {
    return call("MPI_Comm_get_attr", CALLER, [&] { return get_of_comm(comm, key, value, flag, kind); });
}
EXPORTED int MPII_Comm_set_attr(MPI_Comm comm, int key, void* value, int kind) {
    return call("MPI_Comm_set_attr", CALLER, [&] { return set_of_comm(comm, key, value, kind); });
}
EXPORTED int MPII_Type_get_attr(MPI_Datatype type, int key, void* value, int* flag, int kind) {
    return call("MPI_Type_get_attr", CALLER, [&] { return get_of_type(type, key, value, flag, kind); });
}
EXPORTED int MPII_Type_set_attr(MPI_Datatype type, int key, void* value, int kind) {
    return call("MPI_Type_set_attr", CALLER, [&] { return set_of_type(type, key, value, kind); });
}
EXPORTED int MPII_Win_get_attr(MPI_Win win, int key, void* value, int* flag, int kind) {
    return call("MPI_Win_get_attr", CALLER, [&] { return get_of_win(win, key, value, flag, kind); });
}
EXPORTED int MPII_Win_set_attr(MPI_Win win, int key, void* value, int kind) {
    return call("MPI_Win_set_attr", CALLER, [&] { return set_of_win(win, key, value, kind); });
}
