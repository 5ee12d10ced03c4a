// Groups of ranks.

#include <span>
#include <vector>

#include <calls_generated.h>
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/host/live_rank.h"

namespace haichi::abi::mpich {

namespace {

using mpi::ErrorClass;
using mpi::Group;
using mpi::GroupRef;

GroupRef group_of(MPI_Group handle) { return MpichRank::current().group(handle); }

int made(GroupRef group, MPI_Group* handle) {
    *handle = group->size() == 0 ? MPI_GROUP_EMPTY : MpichRank::current().groups.add(std::move(group));
    return MPI_SUCCESS;
}

void check_number(int number) {
    if (number < 0) raise(ErrorClass::kArgument, "the number of ranks, " + std::to_string(number) + ", is negative");
}

std::span<const int> ranks_of(int number, const int ranks[]) {
    check_number(number);
    return {ranks, static_cast<std::size_t>(number)};
}

std::vector<Group::Range> ranges_of(int number, int ranges[][3]) {
    check_number(number);
    std::vector<Group::Range> result;
    for (int i = 0; i < number; ++i) result.push_back({ranges[i][0], ranges[i][1], ranges[i][2]});
    return result;
}

}  // namespace

int Group_size(MPI_Group handle, int* size) {
    *size = group_of(handle)->size();
    return MPI_SUCCESS;
}
int Group_rank(MPI_Group handle, int* rank) {
    *rank = group_of(handle)->rank_of(host::LiveRank::current()->id()).value_or(MPI_UNDEFINED);
    return MPI_SUCCESS;
}
int Group_translate_ranks(MPI_Group handle, int number, const int ranks[], MPI_Group other, int translated[]) {
    const GroupRef from = group_of(handle);
    const GroupRef to = group_of(other);
    for (const int rank : ranks_of(number, ranks)) {
        if (rank == MPI_PROC_NULL) {
            *translated++ = MPI_PROC_NULL;
            continue;
        }
        if (rank < 0 || rank >= from->size()) {
            raise(ErrorClass::kRank, "invalid rank: " + std::to_string(rank) + " (the group has " +
                                         std::to_string(from->size()) + " ranks)");
        }
        *translated++ = from->translate(rank, *to).value_or(MPI_UNDEFINED);
    }
    return MPI_SUCCESS;
}
int Group_compare(MPI_Group first, MPI_Group second, int* result) {
    switch (mpi::compare(*group_of(first), *group_of(second))) {
        case mpi::GroupComparison::kIdentical:
            *result = MPI_IDENT;
            break;
        case mpi::GroupComparison::kSimilar:
            *result = MPI_SIMILAR;
            break;
        case mpi::GroupComparison::kUnequal:
            *result = MPI_UNEQUAL;
            break;
    }
    return MPI_SUCCESS;
}

int Group_union(MPI_Group first, MPI_Group second, MPI_Group* handle) {
    return made(mpi::union_of(group_of(first), group_of(second)), handle);
}
int Group_intersection(MPI_Group first, MPI_Group second, MPI_Group* handle) {
    return made(mpi::intersection_of(group_of(first), group_of(second)), handle);
}
int Group_difference(MPI_Group first, MPI_Group second, MPI_Group* handle) {
    return made(mpi::difference_of(group_of(first), group_of(second)), handle);
}
int Group_incl(MPI_Group from, int number, const int ranks[], MPI_Group* handle) {
    return made(group_of(from)->include(ranks_of(number, ranks)), handle);
}
int Group_excl(MPI_Group from, int number, const int ranks[], MPI_Group* handle) {
    return made(group_of(from)->exclude(ranks_of(number, ranks)), handle);
}
int Group_range_incl(MPI_Group from, int number, int ranges[][3], MPI_Group* handle) {
    return made(group_of(from)->include_ranges(ranges_of(number, ranges)), handle);
}
int Group_range_excl(MPI_Group from, int number, int ranges[][3], MPI_Group* handle) {
    return made(group_of(from)->exclude_ranges(ranges_of(number, ranges)), handle);
}
int Group_free(MPI_Group* handle) {
    MpichRank& state = MpichRank::current();
    state.group(*handle);
    if (*handle != MPI_GROUP_EMPTY) state.groups.take(*handle);
    *handle = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
