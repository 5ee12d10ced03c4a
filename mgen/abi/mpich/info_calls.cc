// Info objects.

#include <algorithm>
#include <cstring>
#include <string>

#include <calls_generated.h>
#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

namespace {

/// MPI_INFO_ENV is empty, as with a process manager that provides no information.
const Info& readable(MpichRank& state, MPI_Info handle) {
    static const Info empty;
    return handle == MPI_INFO_ENV ? empty : state.info(handle);
}

std::string key_of(const char* key) {
    if (key == nullptr || *key == '\0' || std::strlen(key) > MPI_MAX_INFO_KEY) {
        raise_code(MPI_ERR_INFO_KEY,
                   "the key of an info is empty or longer than " + std::to_string(MPI_MAX_INFO_KEY) + " characters");
    }
    return key;
}

const std::string* find(MpichRank& state, MPI_Info handle, const char* key) {
    // The cast is safe, because the search does not change the object.
    return const_cast<Info&>(readable(state, handle)).find(key_of(key));
}

}  // namespace

std::string* Info::find(std::string_view key) {
    const auto found = std::ranges::find(entries, key, &std::pair<std::string, std::string>::first);
    return found != entries.end() ? &found->second : nullptr;
}

int Info_create(MPI_Info* handle) {
    *handle = MpichRank::current().infos.add({});
    return MPI_SUCCESS;
}
int Info_create_env(int /*argc*/, char* /*argv*/[], MPI_Info* handle) { return Info_create(handle); }
int Info_dup(MPI_Info handle, MPI_Info* copied) {
    MpichRank& state = MpichRank::current();
    *copied = state.infos.add(Info(readable(state, handle)));
    return MPI_SUCCESS;
}
int Info_free(MPI_Info* handle) {
    MpichRank& state = MpichRank::current();
    state.info(*handle);
    state.infos.take(*handle);
    *handle = MPI_INFO_NULL;
    return MPI_SUCCESS;
}
int Info_set(MPI_Info handle, const char* key, const char* value) {
    Info& info = MpichRank::current().info(handle);
    const std::string name = key_of(key);
    if (value == nullptr || *value == '\0' || std::strlen(value) > MPI_MAX_INFO_VAL) {
        raise_code(MPI_ERR_INFO_VALUE, "the value of the info's key " + name + " is empty or longer than " +
                                           std::to_string(MPI_MAX_INFO_VAL) + " characters");
    }
    if (std::string* found = info.find(name)) {
        *found = value;
    } else {
        info.entries.emplace_back(name, value);
    }
    return MPI_SUCCESS;
}
int Info_delete(MPI_Info handle, const char* key) {
    Info& info = MpichRank::current().info(handle);
    const std::string name = key_of(key);
    if (std::erase_if(info.entries, [&](const auto& entry) { return entry.first == name; }) == 0) {
        raise_code(MPI_ERR_INFO_NOKEY, "the info has no key " + name);
    }
    return MPI_SUCCESS;
}
int Info_get(MPI_Info handle, const char* key, int length, char* value, int* flag) {
    const std::string* found = find(MpichRank::current(), handle, key);
    if (length < 0) raise_code(MPI_ERR_INFO_VALUE, "the length " + std::to_string(length) + " is negative");
    *flag = found != nullptr ? 1 : 0;
    if (found != nullptr) std::strcpy(value, found->substr(0, static_cast<std::size_t>(length)).c_str());
    return MPI_SUCCESS;
}
int Info_get_string(MPI_Info handle, const char* key, int* length, char* value, int* flag) {
    const std::string* found = find(MpichRank::current(), handle, key);
    *flag = found != nullptr ? 1 : 0;
    if (found == nullptr) return MPI_SUCCESS;
    if (*length > 0) std::strcpy(value, found->substr(0, static_cast<std::size_t>(*length - 1)).c_str());
    *length = static_cast<int>(found->size()) + 1;
    return MPI_SUCCESS;
}
int Info_get_valuelen(MPI_Info handle, const char* key, int* length, int* flag) {
    const std::string* found = find(MpichRank::current(), handle, key);
    *flag = found != nullptr ? 1 : 0;
    if (found != nullptr) *length = static_cast<int>(found->size());
    return MPI_SUCCESS;
}
int Info_get_nkeys(MPI_Info handle, int* keys) {
    *keys = static_cast<int>(readable(MpichRank::current(), handle).entries.size());
    return MPI_SUCCESS;
}
int Info_get_nthkey(MPI_Info handle, int which, char* key) {
    const Info& info = readable(MpichRank::current(), handle);
    if (which < 0 || which >= static_cast<int>(info.entries.size())) {
        raise(mpi::ErrorClass::kArgument, "invalid key number: " + std::to_string(which) + " (the info has " +
                                              std::to_string(info.entries.size()) + " keys)");
    }
    std::strcpy(key, info.entries[static_cast<std::size_t>(which)].first.c_str());
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
