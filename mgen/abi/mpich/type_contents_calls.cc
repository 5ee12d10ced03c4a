// Queries about the construction of a data type.

#include <algorithm>

#include <calls_generated.h>
#include "mgen/abi/mpich/type_handles.h"

namespace haichi::abi::mpich {

namespace {

using mpi::Combiner;
using mpi::ErrorClass;
using mpi::TypeContents;

int number_of(Combiner combiner) {
    switch (combiner) {
        case Combiner::kNamed:
            return MPI_COMBINER_NAMED;
        case Combiner::kDup:
            return MPI_COMBINER_DUP;
        case Combiner::kContiguous:
            return MPI_COMBINER_CONTIGUOUS;
        case Combiner::kVector:
            return MPI_COMBINER_VECTOR;
        case Combiner::kHvector:
            return MPI_COMBINER_HVECTOR;
        case Combiner::kIndexed:
            return MPI_COMBINER_INDEXED;
        case Combiner::kHindexed:
            return MPI_COMBINER_HINDEXED;
        case Combiner::kIndexedBlock:
            return MPI_COMBINER_INDEXED_BLOCK;
        case Combiner::kHindexedBlock:
            return MPI_COMBINER_HINDEXED_BLOCK;
        case Combiner::kStruct:
            return MPI_COMBINER_STRUCT;
        case Combiner::kSubarray:
            return MPI_COMBINER_SUBARRAY;
        case Combiner::kDarray:
            return MPI_COMBINER_DARRAY;
        case Combiner::kF90Real:
            return MPI_COMBINER_F90_REAL;
        case Combiner::kF90Complex:
            return MPI_COMBINER_F90_COMPLEX;
        case Combiner::kF90Integer:
            return MPI_COMBINER_F90_INTEGER;
        case Combiner::kResized:
            return MPI_COMBINER_RESIZED;
    }
    return MPI_UNDEFINED;
}

const TypeContents& contents_of(MPI_Datatype handle) { return MpichRank::current().type(handle)->contents(); }

template <class Value, class Array>
void give(const std::vector<Value>& values, MPI_Count most, Array* to, const char* what) {
    if (std::ssize(values) > most) {
        raise(ErrorClass::kOther, "the data type has " + std::to_string(values.size()) + " " + what +
                                      ", but the array has room for " + std::to_string(most));
    }
    std::ranges::copy(values, to);
}

void give_types(const TypeContents& contents, MPI_Count most, MPI_Datatype* to) {
    // The array size is checked before handles are created.
    give(std::vector<MPI_Datatype>(contents.types.size()), most, to, "data types");
    for (const mpi::DatatypeRef& type : contents.types) *to++ = handle_of_contents(type);
}

void refuse_named(const TypeContents& contents) {
    if (contents.combiner == Combiner::kNamed) raise(ErrorClass::kType, "a predefined data type has no contents");
}

/// Throws CallError, because a query with int counts could not return large counts.
void refuse_large(const TypeContents& contents) {
    if (contents.form == mpi::CountForm::kLarge) {
        raise(ErrorClass::kOther, "the data type was made with large counts; use the calls that end in _c");
    }
}

}  // namespace

int Type_get_envelope(MPI_Datatype handle, int* integers, int* addresses, int* types, int* combiner) {
    const TypeContents& contents = contents_of(handle);
    refuse_large(contents);
    *integers = static_cast<int>(contents.integers.size());
    *addresses = static_cast<int>(contents.addresses.size());
    *types = static_cast<int>(contents.types.size());
    *combiner = number_of(contents.combiner);
    return MPI_SUCCESS;
}

int Type_get_envelope_c(MPI_Datatype handle, MPI_Count* integers, MPI_Count* addresses, MPI_Count* large_counts,
                        MPI_Count* types, int* combiner) {
    const TypeContents& contents = contents_of(handle);
    *integers = std::ssize(contents.integers);
    *addresses = std::ssize(contents.addresses);
    *large_counts = std::ssize(contents.large_counts);
    *types = std::ssize(contents.types);
    *combiner = number_of(contents.combiner);
    return MPI_SUCCESS;
}

int Type_get_contents(MPI_Datatype handle, int most_integers, int most_addresses, int most_types, int integers[],
                      MPI_Aint addresses[], MPI_Datatype types[]) {
    // Holds a reference of its own, because new handles may move the table.
    const mpi::DatatypeRef type = MpichRank::current().type(handle);
    const TypeContents& contents = type->contents();
    refuse_named(contents);
    refuse_large(contents);
    give(contents.integers, most_integers, integers, "integers");
    give(contents.addresses, most_addresses, addresses, "addresses");
    give_types(contents, most_types, types);
    return MPI_SUCCESS;
}

int Type_get_contents_c(MPI_Datatype handle, MPI_Count most_integers, MPI_Count most_addresses,
                        MPI_Count most_large_counts, MPI_Count most_types, int integers[], MPI_Aint addresses[],
                        MPI_Count large_counts[], MPI_Datatype types[]) {
    const mpi::DatatypeRef type = MpichRank::current().type(handle);
    const TypeContents& contents = type->contents();
    refuse_named(contents);
    give(contents.integers, most_integers, integers, "integers");
    give(contents.addresses, most_addresses, addresses, "addresses");
    give(contents.large_counts, most_large_counts, large_counts, "large counts");
    give_types(contents, most_types, types);
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
