// Windows: creation, memory, names and hints.

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <calls_generated.h>
#include "mgen/abi/mpich/attributes.h"
#include "mgen/abi/mpich/guard.h"
#include "mgen/host/host.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;
using mpi::WindowFlavor;

/// The window hints that MPICH knows, with their default values.
Info default_hints(WindowFlavor flavor) {
    Info hints;
    hints.entries = {{"no_locks", "false"},
                     {"accumulate_ordering", "rar,raw,war,waw"},
                     {"accumulate_ops", "same_op_no_op"},
                     {"same_size", "false"},
                     {"same_disp_unit", "false"},
                     {"mpi_accumulate_granularity", "0"}};
    if (flavor == WindowFlavor::kAllocated || flavor == WindowFlavor::kShared) {
        hints.entries.emplace_back("alloc_shared_noncontig", "false");
        hints.entries.emplace_back("alloc_shm", "true");
    }
    return hints;
}

void take_hints(Info& hints, const Info& given) {
    for (const auto& [key, value] : given.entries) {
        if (std::string* known = hints.find(key)) *known = value;
    }
}

Info hints_of(MpichRank& state, WindowFlavor flavor, MPI_Info given) {
    Info hints = default_hints(flavor);
    if (given != MPI_INFO_NULL) take_hints(hints, state.info(given));
    return hints;
}

const mpi::MembershipRef& members(MpichRank& state, MPI_Comm comm) {
    const mpi::MembershipRef& membership = state.comm(comm).membership;
    if (membership->communicator->is_inter()) {
        raise(ErrorClass::kCommunicator, "a window cannot be made from an inter-communicator");
    }
    return membership;
}

mpi::Window::Memory memory_of(void* base, MPI_Aint bytes, MPI_Aint displacement_unit) {
    if (bytes < 0) raise(ErrorClass::kSize, "the size " + std::to_string(bytes) + " of the window is negative");
    if (displacement_unit <= 0) {
        raise(ErrorClass::kDisplacement,
              "the displacement unit " + std::to_string(displacement_unit) + " is not positive");
    }
    return {static_cast<std::byte*>(base), bytes, displacement_unit};
}

int add(MpichRank& state, std::unique_ptr<mpi::Window> window, Info hints, MPI_Win* handle) {
    Win win;
    win.window = std::move(window);
    win.hints = std::move(hints);
    *handle = state.wins.add(std::move(win));
    return MPI_SUCCESS;
}

void check_is_on_one_node(MpichRank& state, const mpi::Membership& membership) {
    const host::Host& host = state.process.rank().host();
    const mpi::Group& group = *membership.communicator->group;
    const NodeId own = host.node_of(state.process.id());
    for (int rank = 0; rank < group.size(); ++rank) {
        if (host.node_of(group.world_rank(rank)) == own) continue;
        raise(ErrorClass::kRmaShared,
              "the ranks of a shared window must be on one node (see MPI_Comm_split_type), but rank " +
                  std::to_string(rank) + " is on another node");
    }
}

int shared_query(MPI_Win handle, int rank, MPI_Aint* bytes, MPI_Aint* displacement_unit, void* base) {
    const mpi::Window& window = *MpichRank::current().win(handle).window;
    if (window.flavor() != WindowFlavor::kShared) {
        raise(ErrorClass::kRmaFlavor, "the window was not made with MPI_Win_allocate_shared");
    }
    const int size = window.membership()->size();
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= size)) {
        raise(ErrorClass::kRank,
              "invalid rank: " + std::to_string(rank) + " (the window has " + std::to_string(size) + " ranks)");
    }
    const mpi::WindowPart* part = rank == MPI_PROC_NULL ? window.first_part() : &window.part(rank);
    *bytes = part != nullptr ? part->bytes : 0;
    *displacement_unit = part != nullptr ? part->displacement_unit : 0;
    *static_cast<void**>(base) = part != nullptr ? part->base : nullptr;
    return MPI_SUCCESS;
}

}  // namespace

int Win_create(void* base, MPI_Aint bytes, MPI_Aint displacement_unit, MPI_Info info, MPI_Comm comm, MPI_Win* handle) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef& of = members(state, comm);
    const mpi::Window::Memory memory = memory_of(base, bytes, displacement_unit);
    Info hints = hints_of(state, WindowFlavor::kCreated, info);
    auto window = mpi::Window::create(state.process, of, WindowFlavor::kCreated, memory);
    return add(state, std::move(window), std::move(hints), handle);
}

int Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* handle) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef& of = members(state, comm);
    Info hints = hints_of(state, WindowFlavor::kDynamic, info);
    // The base is null, because displacements in a dynamic window are addresses.
    auto window = mpi::Window::create(state.process, of, WindowFlavor::kDynamic, {});
    return add(state, std::move(window), std::move(hints), handle);
}

int Win_allocate(MPI_Aint bytes, MPI_Aint displacement_unit, MPI_Info info, MPI_Comm comm, void* base,
                 MPI_Win* handle) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef& of = members(state, comm);
    mpi::Window::Memory memory = memory_of(nullptr, bytes, displacement_unit);
    Info hints = hints_of(state, WindowFlavor::kAllocated, info);
    auto window = mpi::Window::allocate(state.process, of, WindowFlavor::kAllocated, memory);
    *static_cast<void**>(base) = memory.base;
    return add(state, std::move(window), std::move(hints), handle);
}

int Win_allocate_shared(MPI_Aint bytes, MPI_Aint displacement_unit, MPI_Info info, MPI_Comm comm, void* base,
                        MPI_Win* handle) {
    MpichRank& state = MpichRank::current();
    const mpi::MembershipRef& of = members(state, comm);
    check_is_on_one_node(state, *of);
    mpi::Window::Memory memory = memory_of(nullptr, bytes, displacement_unit);
    Info hints = hints_of(state, WindowFlavor::kShared, info);
    const bool is_contiguous = *hints.find("alloc_shared_noncontig") != "true";
    auto window = mpi::Window::allocate(state.process, of, WindowFlavor::kShared, memory, is_contiguous);
    *static_cast<void**>(base) = memory.base;
    return add(state, std::move(window), std::move(hints), handle);
}

int Win_shared_query(MPI_Win handle, int rank, MPI_Aint* bytes, int* displacement_unit, void* base) {
    MPI_Aint unit = 0;
    shared_query(handle, rank, bytes, &unit, base);
    *displacement_unit = static_cast<int>(unit);
    return MPI_SUCCESS;
}
int Win_shared_query_c(MPI_Win handle, int rank, MPI_Aint* bytes, MPI_Aint* displacement_unit, void* base) {
    return shared_query(handle, rank, bytes, displacement_unit, base);
}

int Win_attach(MPI_Win handle, void* base, MPI_Aint bytes) {
    if (bytes < 0) raise(ErrorClass::kSize, "the size " + std::to_string(bytes) + " is negative");
    if (bytes > 0) MpichRank::current().win(handle).window->attach(static_cast<std::byte*>(base), bytes);
    return MPI_SUCCESS;
}
int Win_detach(MPI_Win handle, const void* base) {
    MpichRank::current().win(handle).window->detach(static_cast<const std::byte*>(base));
    return MPI_SUCCESS;
}

int Win_free(MPI_Win* handle) {
    MpichRank& state = MpichRank::current();
    Win& win = state.win(*handle);
    win.window->end();
    delete_attributes(state, *handle, win.attributes);
    state.release_errhandler(win.errhandler);
    state.wins.take(*handle);
    *handle = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

int Win_get_group(MPI_Win handle, MPI_Group* group) {
    MpichRank& state = MpichRank::current();
    *group = state.groups.add(state.win(handle).window->membership()->communicator->group);
    return MPI_SUCCESS;
}

int Win_set_info(MPI_Win handle, MPI_Info info) {
    MpichRank& state = MpichRank::current();
    take_hints(state.win(handle).hints, state.info(info));
    return MPI_SUCCESS;
}
int Win_get_info(MPI_Win handle, MPI_Info* info) {
    MpichRank& state = MpichRank::current();
    *info = state.infos.add(Info(state.win(handle).hints));
    return MPI_SUCCESS;
}

int Win_set_name(MPI_Win handle, const char* name) {
    MpichRank::current().win(handle).name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
    return MPI_SUCCESS;
}
int Win_get_name(MPI_Win handle, char* name, int* length) {
    const std::string& own = MpichRank::current().win(handle).name;
    std::strcpy(name, own.c_str());
    *length = static_cast<int>(own.size());
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
