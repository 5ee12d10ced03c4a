// MPI sessions. There is a process set of all ranks, and one of each rank alone.

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include <calls_generated.h>
#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

namespace {

/// Indexed by the constants of the thread levels.
constexpr std::array<std::string_view, 4> kLevels = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                                     "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
static_assert(MPI_THREAD_SINGLE == 0 && MPI_THREAD_MULTIPLE == 3);
constexpr std::array kSets = {"mpi://WORLD", "mpi://SELF"};

/// Names are not case-sensitive, as in URIs.
const mpi::GroupRef& group_of_set(MpichRank& state, const char* name) {
    if (name != nullptr && strcasecmp(name, kSets[0]) == 0) return state.world.membership->communicator->group;
    if (name != nullptr && strcasecmp(name, kSets[1]) == 0) return state.self.membership->communicator->group;
    raise(mpi::ErrorClass::kArgument,
          "unknown process set: " + std::string(name != nullptr ? name : "the name is null"));
}

}  // namespace

int Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* handle) {
    MpichRank& state = MpichRank::current();
    Session session{.errhandler = state.keep_errhandler(handler)};
    if (Info* given = state.infos.find(info)) {
        // The requested thread level is granted, because no other thread can make MPI calls.
        const std::string* level = given->find("thread_level");
        const auto known = level != nullptr ? std::ranges::find(kLevels, *level) : kLevels.end();
        if (known != kLevels.end()) session.thread_level = static_cast<int>(known - kLevels.begin());
    }
    *handle = state.sessions.add(session);
    return MPI_SUCCESS;
}
int Session_finalize(MPI_Session* handle) {
    MpichRank& state = MpichRank::current();
    state.release_errhandler(state.session(*handle).errhandler);
    state.sessions.take(*handle);
    state.call_session = *handle = MPI_SESSION_NULL;
    return MPI_SUCCESS;
}
int Session_get_num_psets(MPI_Session session, MPI_Info /*info*/, int* sets) {
    MpichRank::current().session(session);
    *sets = static_cast<int>(kSets.size());
    return MPI_SUCCESS;
}
int Session_get_nth_pset(MPI_Session session, MPI_Info /*info*/, int which, int* length, char* name) {
    MpichRank::current().session(session);
    if (which < 0 || which >= static_cast<int>(kSets.size())) {
        raise(mpi::ErrorClass::kArgument, "invalid process set number: " + std::to_string(which));
    }
    const std::string own = kSets[static_cast<std::size_t>(which)];
    if (*length == 0) {
        *length = static_cast<int>(own.size()) + 1;
    } else {
        std::strcpy(name, own.substr(0, static_cast<std::size_t>(*length - 1)).c_str());
    }
    return MPI_SUCCESS;
}
int Session_get_info(MPI_Session session, MPI_Info* info) {
    MpichRank& state = MpichRank::current();
    const std::string_view level = kLevels[static_cast<std::size_t>(state.session(session).thread_level)];
    *info = state.infos.add({{{"thread_level", std::string(level)}}});
    return MPI_SUCCESS;
}
int Session_get_pset_info(MPI_Session session, const char* name, MPI_Info* info) {
    MpichRank& state = MpichRank::current();
    state.session(session);
    *info = state.infos.add({{{"mpi_size", std::to_string(group_of_set(state, name)->size())}}});
    return MPI_SUCCESS;
}
int Group_from_session_pset(MPI_Session session, const char* name, MPI_Group* group) {
    MpichRank& state = MpichRank::current();
    state.session(session);
    *group = state.groups.add(group_of_set(state, name));
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
