// Communicators: properties, creation and release.

#include "mgen/mpi/communicators.h"

#include <cstring>
#include <optional>
#include <string>

#include <calls_generated.h>
#include "mgen/abi/mpich/attributes.h"
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/abi/mpich/new_communicator.h"
#include "mgen/host/host.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;
using mpi::MembershipRef;

/// The hints that every communicator has. Their value is "false" unless the program sets them.
constexpr std::array kHints = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
                               "mpi_assert_allow_overtaking"};

void set_hints(MpichRank& state, Comm& comm, MPI_Info handle) {
    if (handle == MPI_INFO_NULL) return;
    Info& given = state.info(handle);
    for (const char* key : kHints) {
        const std::string* value = given.find(key);
        if (value == nullptr || (*value != "true" && *value != "false")) continue;
        if (std::string* own = comm.hints.find(key)) {
            *own = *value;
        } else {
            comm.hints.entries.emplace_back(key, *value);
        }
    }
}

/// The rank's own state of a duplicate: attributes, topology, hints and error handler.
Comm duplicate_of(MpichRank& state, MPI_Comm handle) {
    Comm& of = state.comm(handle);
    Comm made;
    copy_attributes(state, handle, of.attributes, made.attributes);
    made.topology = of.topology;
    made.hints = of.hints;
    made.errhandler = state.keep_errhandler(of.errhandler);
    return made;
}

mpi::Membership& inter(MpichRank& state, MPI_Comm handle) {
    mpi::Membership& membership = *state.comm(handle).membership;
    if (!membership.communicator->is_inter()) {
        raise(ErrorClass::kCommunicator, "the communicator is not an inter-communicator");
    }
    return membership;
}

void check_rank(int rank, int size, const char* what) {
    if (rank < 0 || rank >= size) {
        raise(ErrorClass::kRank, "invalid " + std::string(what) + ": " + std::to_string(rank) +
                                     " (the communicator has " + std::to_string(size) + " ranks)");
    }
}

int end(MPI_Comm* handle) {
    MpichRank& state = MpichRank::current();
    Comm& comm = state.comm(*handle);
    if (*handle == MPI_COMM_WORLD || *handle == MPI_COMM_SELF) {
        raise(ErrorClass::kCommunicator, comm.name + " cannot be freed");
    }
    // If an attribute's delete function fails, the communicator is not freed.
    delete_attributes(state, *handle, comm.attributes);
    state.release_errhandler(comm.errhandler);
    state.comms.take(*handle);
    state.call_comm = MPI_COMM_WORLD;
    *handle = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

}  // namespace

const MembershipRef& intra(MpichRank& state, MPI_Comm handle) {
    const MembershipRef& membership = state.comm(handle).membership;
    if (membership->communicator->is_inter()) {
        raise(ErrorClass::kCommunicator, "the communicator is an inter-communicator");
    }
    return membership;
}

MPI_Comm add_communicator(MpichRank& state, MPI_Comm parent, MembershipRef membership, Topology topology) {
    if (!membership) return MPI_COMM_NULL;
    Comm made;
    made.membership = std::move(membership);
    made.topology = std::move(topology);
    made.errhandler = state.keep_errhandler(state.comm(parent).errhandler);
    return state.comms.add(std::move(made));
}

int Comm_test_inter(MPI_Comm comm, int* flag) {
    *flag = MpichRank::current().comm(comm).membership->communicator->is_inter() ? 1 : 0;
    return MPI_SUCCESS;
}
int Comm_remote_size(MPI_Comm comm, int* size) {
    *size = inter(MpichRank::current(), comm).communicator->remote->size();
    return MPI_SUCCESS;
}
int Comm_group(MPI_Comm comm, MPI_Group* group) {
    MpichRank& state = MpichRank::current();
    *group = state.groups.add(state.comm(comm).membership->communicator->group);
    return MPI_SUCCESS;
}
int Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
    MpichRank& state = MpichRank::current();
    *group = state.groups.add(inter(state, comm).communicator->remote);
    return MPI_SUCCESS;
}
int Comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
    MpichRank& state = MpichRank::current();
    const mpi::Communicator& first = *state.comm(a).membership->communicator;
    const mpi::Communicator& second = *state.comm(b).membership->communicator;
    const auto compared = [](const mpi::Group& one, const mpi::Group& other) {
        const mpi::GroupComparison how = compare(one, other);
        return how == mpi::GroupComparison::kIdentical ? MPI_CONGRUENT
               : how == mpi::GroupComparison::kSimilar ? MPI_SIMILAR
                                                       : MPI_UNEQUAL;
    };
    if (a == b) {
        *result = MPI_IDENT;
    } else if (first.is_inter() != second.is_inter()) {
        *result = MPI_UNEQUAL;
    } else {
        *result = compared(*first.group, *second.group);
        if (first.is_inter()) *result = std::max(*result, compared(*first.remote, *second.remote));
    }
    return MPI_SUCCESS;
}

int Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    Comm copy = duplicate_of(state, comm);
    set_hints(state, copy, info);
    copy.membership = duplicate(state.process, state.comm(comm).membership);
    *made = state.comms.add(std::move(copy));
    return MPI_SUCCESS;
}
int Comm_dup(MPI_Comm comm, MPI_Comm* made) { return Comm_dup_with_info(comm, MPI_INFO_NULL, made); }
int Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    Comm copy = duplicate_of(state, comm);
    set_hints(state, copy, info);
    mpi::BegunDuplicate begun = begin_duplicate(state.process, state.comm(comm).membership);
    begun.request->message.comm_handle = comm;
    copy.membership = std::move(begun.made);
    *made = state.comms.add(std::move(copy));
    *request = state.add_request(*begun.request);
    return MPI_SUCCESS;
}
int Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
    return Comm_idup_with_info(comm, MPI_INFO_NULL, made, request);
}
int Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = state.comm(comm).membership;
    *made = add_communicator(state, comm, create(state.process, of, state.group(group)));
    return MPI_SUCCESS;
}
int Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = intra(state, comm);
    if (tag < 0) raise(ErrorClass::kTag, "the tag " + std::to_string(tag) + " is negative");
    *made = add_communicator(state, comm, create_group(state.process, of, state.group(group), tag));
    return MPI_SUCCESS;
}
int Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = state.comm(comm).membership;
    if (color < 0 && color != MPI_UNDEFINED) {
        raise(ErrorClass::kArgument, "the color " + std::to_string(color) + " is negative");
    }
    const auto wanted = color == MPI_UNDEFINED ? std::nullopt : std::optional(color);
    *made = add_communicator(state, comm, split(state.process, of, wanted, key));
    return MPI_SUCCESS;
}
int Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    const MembershipRef& of = intra(state, comm);
    Info* given = info == MPI_INFO_NULL ? nullptr : &state.info(info);
    const std::string* resource = given != nullptr ? given->find("mpi_hw_resource_type") : nullptr;
    const bool is_unguided = type == MPI_COMM_TYPE_HW_UNGUIDED;
    // The structure of a node is unknown, so a split by a part of a node returns MPI_COMM_NULL.
    const bool by_node = type == MPI_COMM_TYPE_SHARED || is_unguided ||
                         (type == MPI_COMM_TYPE_HW_GUIDED && resource != nullptr && *resource == "mpi_shared_memory");
    if (!by_node && type != MPI_UNDEFINED && type != MPI_COMM_TYPE_HW_GUIDED && type != MPIX_COMM_TYPE_NEIGHBORHOOD) {
        raise(ErrorClass::kArgument, "invalid split type: " + std::to_string(type));
    }
    const host::LiveRank& rank = state.process.rank();
    const auto color = by_node ? std::optional(rank.host().node_of(rank.id()).value) : std::nullopt;
    if (type == MPIX_COMM_TYPE_NEIGHBORHOOD && given != nullptr && given->find("nbhd_common_dirname") != nullptr) {
        // All ranks can access the same files. MPICH returns MPI_COMM_NULL if the ranks name different directories.
        const auto digest = std::hash<std::string>()(*given->find("nbhd_common_dirname"));
        MembershipRef same = split(state.process, of, static_cast<int>(digest & 0x7FFFFFFF), key);
        if (same->size() == of->size()) *made = add_communicator(state, comm, std::move(same));
        return MPI_SUCCESS;
    }
    MembershipRef part = split(state.process, of, color, key);
    if (is_unguided && part->size() == of->size()) return MPI_SUCCESS;
    if (is_unguided && given != nullptr) Info_set(info, "mpi_hw_resource_type", "node");
    *made = add_communicator(state, comm, std::move(part));
    return MPI_SUCCESS;
}
int Comm_free(MPI_Comm* comm) { return end(comm); }
int Comm_disconnect(MPI_Comm* comm) { return end(comm); }
int Comm_get_parent(MPI_Comm* parent) {
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    mpi::Connection connection{.local = intra(state, local), .local_leader = local_leader, .tag = tag};
    check_rank(local_leader, connection.local->size(), "local leader");
    if (connection.local->rank == local_leader) {
        connection.peer = state.comm(peer).membership;
        connection.remote_leader = remote_leader;
        check_rank(remote_leader, connection.peer->communicator->partners().size(), "remote leader");
        if (tag < 0) raise(ErrorClass::kTag, "the tag " + std::to_string(tag) + " is negative");
        state.comm(local);
    }
    *made = add_communicator(state, local, connect(state.process, connection));
    return MPI_SUCCESS;
}
int Intercomm_merge(MPI_Comm comm, int is_high, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    inter(state, comm);
    *made = add_communicator(state, comm, merge(state.process, state.comm(comm).membership, is_high != 0));
    return MPI_SUCCESS;
}
int Comm_create_from_group(MPI_Group group, const char* name, MPI_Info info, MPI_Errhandler handler, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    Comm own;
    own.errhandler = state.keep_errhandler(handler);
    set_hints(state, own, info);
    own.membership = create_from_group(state.process, state.group(group), name);
    if (own.membership) {
        *made = state.comms.add(std::move(own));
    } else {
        state.release_errhandler(handler);
    }
    return MPI_SUCCESS;
}
int Intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
                                 const char* name, MPI_Info info, MPI_Errhandler handler, MPI_Comm* made) {
    MpichRank& state = MpichRank::current();
    *made = MPI_COMM_NULL;
    mpi::GroupConnection connection{.local = state.group(local), .local_leader = local_leader, .name = name};
    check_rank(local_leader, connection.local->size(), "local leader");
    if (connection.local->world_rank(local_leader) == state.process.id()) {
        connection.remote = state.group(remote);
        connection.remote_leader = remote_leader;
        check_rank(remote_leader, connection.remote->size(), "remote leader");
    }
    Comm own;
    own.errhandler = state.keep_errhandler(handler);
    set_hints(state, own, info);
    own.membership = connect_groups(state.process, connection);
    if (own.membership) *made = state.comms.add(std::move(own));
    return MPI_SUCCESS;
}

int Comm_set_name(MPI_Comm comm, const char* name) {
    MpichRank::current().comm(comm).name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
    return MPI_SUCCESS;
}
int Comm_get_name(MPI_Comm comm, char* name, int* length) {
    const std::string& own = MpichRank::current().comm(comm).name;
    std::strcpy(name, own.c_str());
    *length = static_cast<int>(own.size());
    return MPI_SUCCESS;
}
int Comm_set_info(MPI_Comm comm, MPI_Info info) {
    MpichRank& state = MpichRank::current();
    set_hints(state, state.comm(comm), info);
    return MPI_SUCCESS;
}
int Comm_get_info(MPI_Comm comm, MPI_Info* info) {
    MpichRank& state = MpichRank::current();
    Info& hints = state.comm(comm).hints;
    Info shown;
    for (const char* key : kHints) {
        const std::string* own = hints.find(key);
        shown.entries.emplace_back(key, own != nullptr ? *own : "false");
    }
    *info = state.infos.add(std::move(shown));
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
