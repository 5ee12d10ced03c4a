#pragma once

// Handles of Open MPI. A predefined handle is the address of an object, which the library exports. The object contains
// MPICH's handle. The address itself has no meaning, because the linker may have moved the object into the program. All
// other handles combine MPICH's handle with an upper half that occurs in no address. The Fortran handle of these is
// MPICH's handle.

#include <mpi.h>

#include <cstdint>
#include <span>

#include "mgen/abi/mpich/guard.h"

namespace haichi::abi::openmpi {

/// The contents of an exported object. Open MPI's own objects are larger, but programs use only their addresses.
struct Object {
    std::uint32_t magic;
    int handle;  ///< MPICH's handle
};
inline constexpr std::uint32_t kMagic = 0x4D504921;

struct CommObject : Object {};
struct DatatypeObject : Object {};
struct ErrhandlerObject : Object {};
struct FileObject : Object {};
struct GroupObject : Object {};
struct InfoObject : Object {};
struct MessageObject : Object {};
struct OpObject : Object {};
struct RequestObject : Object {};
struct SessionObject : Object {};
struct WinObject : Object {};

using Comm = CommObject*;
using Datatype = DatatypeObject*;
using Errhandler = ErrhandlerObject*;
using File = FileObject*;
using Group = GroupObject*;
using Info = InfoObject*;
using Message = MessageObject*;
using Op = OpObject*;
using Request = RequestObject*;
using Session = SessionObject*;
using Win = WinObject*;

/// A predefined handle and its Fortran handle, or -1 if it has none.
template <class Handle>
struct Predefined {
    Handle object;
    int number;
};
template <class Handle>
std::span<const Predefined<Handle>> predefined();

/// The upper half of a handle that is not predefined.
inline constexpr std::uint64_t kMade = 0x4D504900;

/// Returns MPICH's handle. For null and for the address of any other object, returns 0, which is not a handle in MPICH.
template <class T>
int handle(T* given) {
    const auto bits = reinterpret_cast<std::uintptr_t>(given);
    if (bits >> 32U == kMade) return static_cast<int>(static_cast<std::uint32_t>(bits));
    return given != nullptr && given->magic == kMagic ? given->handle : 0;
}

/// Returns Open MPI's handle. If several predefined handles have the same MPICH handle, it is the first of them.
template <class Handle>
Handle handle_of_mpich(int of) {
    // The handles that MPICH creates begin with binary 10, and those of pair types, which are predefined, with 100011.
    constexpr std::uint32_t kPairTypes = 0x8c000000;
    constexpr std::uint32_t kLastPairType = 0x8c0000FF;
    const auto bits = static_cast<std::uint32_t>(of);
    if (bits < 0x80000000 || (bits >= kPairTypes && bits <= kLastPairType)) {
        for (const Predefined<Handle>& one : predefined<Handle>()) {
            if (one.object->handle == of) return one.object;
        }
    }
    return reinterpret_cast<Handle>(kMade << 32U | bits);
}

template <class Handle>
int number_in_fortran(Handle of) {
    for (const Predefined<Handle>& one : predefined<Handle>()) {
        if (one.object == of) return one.number;
    }
    return handle(of);
}

template <class Handle>
Handle handle_of_fortran(int number) {
    for (const Predefined<Handle>& one : predefined<Handle>()) {
        if (one.number == number) return one.object;
    }
    return handle_of_mpich<Handle>(number);
}

}  // namespace haichi::abi::openmpi
