#pragma once

// Handles of Open MPI. A predefined handle is the address of an object, which the library exports. The object contains
// MPICH's handle. The linker may have moved it into the program, so its address has no meaning. Every other handle is
// MPICH's handle below a pattern that no address has. Its number in Fortran is MPICH's handle.

#include <mpi.h>

#include <cstdint>
#include <span>

#include "mgen/abi/mpich/guard.h"

namespace haichi::abi::openmpi {

/// The contents of an object. Open MPI's own objects are larger; programs use only their addresses.
struct Object {
    std::uint32_t magic;
    int handle;  ///< MPICH's
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

/// A predefined handle and its number in Fortran, or -1 if it has none.
template <class Handle>
struct Predefined {
    Handle object;
    int number;
};
template <class Handle>
std::span<const Predefined<Handle>> predefined();

/// The upper half of a handle that is not predefined.
inline constexpr std::uint64_t kMade = 0x4D504900;

/// MPICH's handle. A null pointer and an address of something else are 0, which no object of MPICH has.
template <class T>
int handle(T* given) {
    const auto bits = reinterpret_cast<std::uintptr_t>(given);
    if (bits >> 32U == kMade) return static_cast<int>(static_cast<std::uint32_t>(bits));
    return given != nullptr && given->magic == kMagic ? given->handle : 0;
}

/// Open MPI's handle. It is the first one if several predefined handles have the same handle of MPICH.
template <class Handle>
Handle handle_of_mpich(int of) {
    // Handles of MPICH that it has made begin with binary 10, or 100011 for the types of pairs, which are predefined.
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
