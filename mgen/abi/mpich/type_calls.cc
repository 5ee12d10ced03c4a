// Queries about data types, their names, the lifetime of their handles, and addresses.

#include <algorithm>
#include <cstring>

#include <calls_generated.h>
#include "mgen/abi/mpich/attributes.h"
#include "mgen/abi/mpich/type_handles.h"
#include "mgen/mpi/type_constructors.h"

namespace haichi::abi::mpich {

namespace {

using mpi::BasicType;
using mpi::ErrorClass;

const mpi::Datatype& type_of(MPI_Datatype handle) { return *MpichRank::current().type(handle); }

/// The running rank's record of a type. The record of a named type is created at first use.
Type& own_type(MpichRank& state, MPI_Datatype handle) {
    const mpi::DatatypeRef type = state.type(handle);
    if (Type* found = state.types.find(handle)) return *found;
    return state.named_types.try_emplace(handle, Type{.type = type, .is_committed = true}).first->second;
}

}  // namespace

MPI_Datatype add_type(mpi::DatatypeRef type) { return MpichRank::current().types.add(Type{.type = std::move(type)}); }

bool is_f90(const mpi::Datatype& type) {
    const mpi::Combiner combiner = type.contents().combiner;
    return combiner == mpi::Combiner::kF90Real || combiner == mpi::Combiner::kF90Complex ||
           combiner == mpi::Combiner::kF90Integer;
}

MPI_Datatype handle_of_contents(const mpi::DatatypeRef& type) {
    if (const auto named = type->named()) return handle_of(*named);
    MpichRank& state = MpichRank::current();
    if (is_f90(*type)) return state.types.handle_of([&](const Type& made) { return made.type == type; });
    return state.types.add(Type{.type = type, .is_committed = true});
}

BorrowedTypeHandle::BorrowedTypeHandle(const mpi::Datatype& type) {
    if (const auto named = type.named()) {
        handle_ = mpich::handle_of(*named);
        return;
    }
    MpichRank& state = MpichRank::current();
    handle_ = state.types.handle_of([&](const Type& made) { return made.type.get() == &type; });
    if (handle_ != 0) return;
    // This happens if the program has freed its own handle.
    handle_ = state.types.add(Type{.type = type.shared_from_this(), .is_committed = true});
    is_new_ = true;
}

BorrowedTypeHandle::~BorrowedTypeHandle() {
    if (is_new_) MpichRank::current().types.take(handle_);
}

int Type_commit(MPI_Datatype* handle) {
    MpichRank& state = MpichRank::current();
    state.type(*handle);
    if (Type* made = state.types.find(*handle)) made->is_committed = true;
    return MPI_SUCCESS;
}

int Type_free(MPI_Datatype* handle) {
    MpichRank& state = MpichRank::current();
    if (state.type(*handle)->named()) raise(ErrorClass::kType, "a predefined data type cannot be freed");
    if (!is_f90(*state.type(*handle))) {
        delete_attributes(state, *handle, state.types.find(*handle)->attributes);
        state.types.take(*handle);
    }
    *handle = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int Type_dup(MPI_Datatype old, MPI_Datatype* handle) {
    MpichRank& state = MpichRank::current();
    const mpi::DatatypeRef type = state.type(old);
    const Type* known = state.types.find(old);
    const bool is_committed = known == nullptr || known->is_committed;
    Type made{.type = mpi::make_dup(type), .is_committed = is_committed};
    *handle = MPI_DATATYPE_NULL;
    copy_attributes(state, old, attributes_of_type(state, old), made.attributes);
    *handle = state.types.add(std::move(made));
    return MPI_SUCCESS;
}

int Type_size(MPI_Datatype handle, MPI_Count* bytes) {
    *bytes = type_of(handle).size();
    return MPI_SUCCESS;
}
int Type_size_x(MPI_Datatype handle, MPI_Count* bytes) { return Type_size(handle, bytes); }

int Type_get_extent(MPI_Datatype handle, MPI_Count* lower_bound, MPI_Count* extent) {
    const mpi::Datatype& type = type_of(handle);
    *lower_bound = type.lower_bound();
    *extent = type.extent();
    return MPI_SUCCESS;
}
int Type_get_extent_x(MPI_Datatype handle, MPI_Count* lower_bound, MPI_Count* extent) {
    return Type_get_extent(handle, lower_bound, extent);
}

int Type_get_true_extent(MPI_Datatype handle, MPI_Count* lower_bound, MPI_Count* extent) {
    const mpi::Datatype& type = type_of(handle);
    *lower_bound = type.true_lower_bound();
    *extent = type.true_extent();
    return MPI_SUCCESS;
}
int Type_get_true_extent_x(MPI_Datatype handle, MPI_Count* lower_bound, MPI_Count* extent) {
    return Type_get_true_extent(handle, lower_bound, extent);
}

int Type_extent(MPI_Datatype handle, MPI_Aint* extent) {
    *extent = type_of(handle).extent();
    return MPI_SUCCESS;
}
int Type_lb(MPI_Datatype handle, MPI_Aint* bound) {
    *bound = type_of(handle).lower_bound();
    return MPI_SUCCESS;
}
int Type_ub(MPI_Datatype handle, MPI_Aint* bound) {
    *bound = type_of(handle).upper_bound();
    return MPI_SUCCESS;
}

int Type_set_name(MPI_Datatype handle, const char* name) {
    Type& type = own_type(MpichRank::current(), handle);
    type.name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
    type.has_name = true;
    return MPI_SUCCESS;
}

int Type_get_name(MPI_Datatype handle, char* name, int* length) {
    MpichRank& state = MpichRank::current();
    const auto named = state.type(handle)->named();
    const Type* known = state.types.find(handle);
    if (known == nullptr) {
        const auto changed = state.named_types.find(handle);
        if (changed != state.named_types.end()) known = &changed->second;
    }
    std::string_view text = named ? mpi::info(*named).name : std::string_view();
    if (known != nullptr && known->has_name) text = known->name;
    std::ranges::copy(text, name);
    name[text.size()] = '\0';
    *length = static_cast<int>(text.size());
    return MPI_SUCCESS;
}

int Type_match_size(int type_class, int bytes, MPI_Datatype* handle) {
    struct Match {
        int type_class;
        int bytes;
        MPI_Datatype handle;
    };
    static constexpr Match kMatches[] = {
        {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
        {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},
        {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},   {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
        {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},   {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
        {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16}, {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
    };
    *handle = MPI_DATATYPE_NULL;
    for (const Match& match : kMatches) {
        if (match.type_class == type_class && match.bytes == bytes) *handle = match.handle;
    }
    if (*handle == MPI_DATATYPE_NULL) {
        raise(ErrorClass::kArgument, "no data type of this class has " + std::to_string(bytes) + " bytes");
    }
    return MPI_SUCCESS;
}

int Get_address(const void* location, MPI_Aint* address) {
    *address = reinterpret_cast<MPI_Aint>(location);
    return MPI_SUCCESS;
}
int Address(void* location, MPI_Aint* address) { return Get_address(location, address); }
MPI_Aint Aint_add(MPI_Aint base, MPI_Aint displacement) {
    return static_cast<MPI_Aint>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(displacement));
}
MPI_Aint Aint_diff(MPI_Aint a, MPI_Aint b) {
    return static_cast<MPI_Aint>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace haichi::abi::mpich
