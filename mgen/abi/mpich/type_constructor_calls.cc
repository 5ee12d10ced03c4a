// Constructors of data types. Functions with large counts have the suffix _c.

#include <array>
#include <optional>

#include <calls_generated.h>
#include "mgen/abi/mpich/type_handles.h"
#include "mgen/mpi/type_constructors.h"

namespace haichi::abi::mpich {

namespace {

using mpi::DatatypeRef;
using mpi::ErrorClass;

using Integers = std::vector<std::int64_t>;

mpi::DatatypeRef old_type(MPI_Datatype handle) { return MpichRank::current().type(handle); }

int made(DatatypeRef type, MPI_Datatype* handle) {
    *handle = add_type(std::move(type));
    return MPI_SUCCESS;
}

template <class Count>
Integers wide(const Count* from, std::int64_t count) {
    return values<std::int64_t>(from, count);
}

template <class Count, class Displacement>
int make_blocks(Count count, const Count lengths[], const Displacement displacements[], bool in_bytes, MPI_Datatype old,
                MPI_Datatype* handle) {
    const Integers own_lengths = wide(lengths, count);
    const Integers own_displacements = wide(displacements, count);
    const mpi::IndexedBlocks blocks{own_lengths, own_displacements};
    const auto make = in_bytes ? mpi::make_hindexed : mpi::make_indexed;
    return made(make(blocks, old_type(old), form_of<Count>()), handle);
}

template <class Count, class Displacement>
int make_struct(Count count, const Count lengths[], const Displacement displacements[], const MPI_Datatype types[],
                MPI_Datatype* handle) {
    const Integers own_lengths = wide(lengths, count);
    const Integers own_displacements = wide(displacements, count);
    std::vector<DatatypeRef> old;
    for (Count i = 0; i < count; ++i) old.push_back(old_type(types[i]));
    return made(mpi::make_struct({own_lengths, own_displacements}, old, form_of<Count>()), handle);
}

mpi::ArrayOrder order_of(int order) {
    if (order == MPI_ORDER_C) return mpi::ArrayOrder::kC;
    if (order == MPI_ORDER_FORTRAN) return mpi::ArrayOrder::kFortran;
    raise(ErrorClass::kArgument, "invalid array order: " + std::to_string(order));
}

template <class Count>
int make_subarray(int dimensions, const Count sizes[], const Count subsizes[], const Count starts[], int order,
                  MPI_Datatype old, MPI_Datatype* handle) {
    const Integers own_sizes = wide(sizes, dimensions);
    const Integers own_subsizes = wide(subsizes, dimensions);
    const Integers own_starts = wide(starts, dimensions);
    const mpi::Subarray part{own_sizes, own_subsizes, own_starts, order_of(order)};
    return made(mpi::make_subarray(part, order, old_type(old), form_of<Count>()), handle);
}

mpi::Distribution distribution_of(int distribution) {
    switch (distribution) {
        case MPI_DISTRIBUTE_BLOCK:
            return mpi::Distribution::kBlock;
        case MPI_DISTRIBUTE_CYCLIC:
            return mpi::Distribution::kCyclic;
        case MPI_DISTRIBUTE_NONE:
            return mpi::Distribution::kNone;
        default:
            raise(ErrorClass::kArgument, "invalid array distribution: " + std::to_string(distribution));
    }
}

template <class Count>
int make_darray(int processes, int rank, int dimensions, const Count sizes[], const int distributions[],
                const int arguments[], const int grid[], int order, MPI_Datatype old, MPI_Datatype* handle) {
    static_assert(mpi::DistributedArray::kDefaultArgument == MPI_DISTRIBUTE_DFLT_DARG);
    const Integers own_sizes = wide(sizes, dimensions);
    const auto numbers = values<std::int32_t>(distributions, dimensions);
    const auto own_arguments = values<std::int32_t>(arguments, dimensions);
    const auto own_grid = values<std::int32_t>(grid, dimensions);
    std::vector<mpi::Distribution> own_distributions;
    for (const int number : numbers) own_distributions.push_back(distribution_of(number));
    const mpi::DistributedArray array{processes,     rank,     own_sizes,      own_distributions,
                                      own_arguments, own_grid, order_of(order)};
    return made(mpi::make_darray(array, numbers, order, old_type(old), form_of<Count>()), handle);
}

/// Returns the type for a requested precision. Equal arguments give equal handles.
int f90_type(mpi::Combiner combiner, std::optional<mpi::BasicType> type, std::vector<std::int32_t> arguments,
             MPI_Datatype* handle) {
    *handle = MPI_DATATYPE_NULL;
    if (!type) raise(ErrorClass::kOther, "no Fortran type has the requested precision and range");
    MpichRank& state = MpichRank::current();
    *handle = state.types.handle_of([&](const Type& made) {
        return made.type->contents().combiner == combiner && made.type->contents().integers == arguments;
    });
    if (*handle != 0) return MPI_SUCCESS;
    *handle = add_type(mpi::make_f90(combiner, *type, arguments));
    state.types.find(*handle)->is_committed = true;
    return MPI_SUCCESS;
}

/// Returns 0 for four bytes, 1 for eight bytes, and nullopt if more are needed.
std::optional<int> precision_class(int digits, int range) {
    const auto fits = [&](int most_digits, int most_range) {
        return (digits == MPI_UNDEFINED || digits <= most_digits) && (range == MPI_UNDEFINED || range <= most_range);
    };
    if (fits(6, 37)) return 0;
    if (fits(15, 307)) return 1;
    return std::nullopt;
}

}  // namespace

int Type_contiguous(int count, MPI_Datatype old, MPI_Datatype* handle) {
    return made(mpi::make_contiguous(count, old_type(old)), handle);
}
int Type_contiguous_c(MPI_Count count, MPI_Datatype old, MPI_Datatype* handle) {
    return made(mpi::make_contiguous(count, old_type(old), mpi::CountForm::kLarge), handle);
}
int Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype* handle) {
    return made(mpi::make_vector(count, length, stride, old_type(old)), handle);
}
int Type_vector_c(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype old, MPI_Datatype* handle) {
    return made(mpi::make_vector(count, length, stride, old_type(old), mpi::CountForm::kLarge), handle);
}
int Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* handle) {
    return made(mpi::make_hvector(count, length, stride, old_type(old)), handle);
}
int Type_create_hvector_c(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype old, MPI_Datatype* handle) {
    return made(mpi::make_hvector(count, length, stride, old_type(old), mpi::CountForm::kLarge), handle);
}
int Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype old, MPI_Datatype* handle) {
    return make_blocks(count, lengths, displacements, false, old, handle);
}
int Type_indexed_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[], MPI_Datatype old,
                   MPI_Datatype* handle) {
    return make_blocks(count, lengths, displacements, false, old, handle);
}
int Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype old,
                         MPI_Datatype* handle) {
    return make_blocks(count, lengths, displacements, true, old, handle);
}
int Type_create_hindexed_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                           MPI_Datatype old, MPI_Datatype* handle) {
    return make_blocks(count, lengths, displacements, true, old, handle);
}
int Type_create_indexed_block(int count, int length, const int displacements[], MPI_Datatype old,
                              MPI_Datatype* handle) {
    return made(mpi::make_indexed_block(length, wide(displacements, count), old_type(old)), handle);
}
int Type_create_indexed_block_c(MPI_Count count, MPI_Count length, const MPI_Count displacements[], MPI_Datatype old,
                                MPI_Datatype* handle) {
    const Integers places = wide(displacements, count);
    return made(mpi::make_indexed_block(length, places, old_type(old), mpi::CountForm::kLarge), handle);
}
int Type_create_hindexed_block(int count, int length, const MPI_Aint displacements[], MPI_Datatype old,
                               MPI_Datatype* handle) {
    return made(mpi::make_hindexed_block(length, wide(displacements, count), old_type(old)), handle);
}
int Type_create_hindexed_block_c(MPI_Count count, MPI_Count length, const MPI_Count displacements[], MPI_Datatype old,
                                 MPI_Datatype* handle) {
    const Integers places = wide(displacements, count);
    return made(mpi::make_hindexed_block(length, places, old_type(old), mpi::CountForm::kLarge), handle);
}
int Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                       MPI_Datatype* handle) {
    return make_struct(count, lengths, displacements, types, handle);
}
int Type_create_struct_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                         const MPI_Datatype types[], MPI_Datatype* handle) {
    return make_struct(count, lengths, displacements, types, handle);
}
int Type_create_resized(MPI_Datatype old, MPI_Aint lower_bound, MPI_Aint extent, MPI_Datatype* handle) {
    return made(mpi::make_resized(old_type(old), lower_bound, extent), handle);
}
int Type_create_resized_c(MPI_Datatype old, MPI_Count lower_bound, MPI_Count extent, MPI_Datatype* handle) {
    return made(mpi::make_resized(old_type(old), lower_bound, extent, mpi::CountForm::kLarge), handle);
}
int Type_create_subarray(int dimensions, const int sizes[], const int subsizes[], const int starts[], int order,
                         MPI_Datatype old, MPI_Datatype* handle) {
    return make_subarray(dimensions, sizes, subsizes, starts, order, old, handle);
}
int Type_create_subarray_c(int dimensions, const MPI_Count sizes[], const MPI_Count subsizes[],
                           const MPI_Count starts[], int order, MPI_Datatype old, MPI_Datatype* handle) {
    return make_subarray(dimensions, sizes, subsizes, starts, order, old, handle);
}
int Type_create_darray(int processes, int rank, int dimensions, const int sizes[], const int distributions[],
                       const int arguments[], const int grid[], int order, MPI_Datatype old, MPI_Datatype* handle) {
    return make_darray(processes, rank, dimensions, sizes, distributions, arguments, grid, order, old, handle);
}
int Type_create_darray_c(int processes, int rank, int dimensions, const MPI_Count sizes[], const int distributions[],
                         const int arguments[], const int grid[], int order, MPI_Datatype old, MPI_Datatype* handle) {
    return make_darray(processes, rank, dimensions, sizes, distributions, arguments, grid, order, old, handle);
}

// The same functions under their MPI-1 names.
int Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* handle) {
    return Type_create_hvector(count, length, stride, old, handle);
}
int Type_hindexed(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype old, MPI_Datatype* handle) {
    return make_blocks<int, MPI_Aint>(count, lengths, displacements, true, old, handle);
}
int Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype* handle) {
    return make_struct<int, MPI_Aint>(count, lengths, displacements, types, handle);
}

int Type_create_f90_real(int digits, int range, MPI_Datatype* handle) {
    static constexpr std::array kTypes = {mpi::BasicType::kReal, mpi::BasicType::kDoublePrecision};
    const std::optional<int> found = precision_class(digits, range);
    const auto type = found ? std::optional(kTypes[static_cast<std::size_t>(*found)]) : std::nullopt;
    return f90_type(mpi::Combiner::kF90Real, type, {digits, range}, handle);
}
int Type_create_f90_complex(int digits, int range, MPI_Datatype* handle) {
    static constexpr std::array kTypes = {mpi::BasicType::kComplex, mpi::BasicType::kDoubleComplex};
    const std::optional<int> found = precision_class(digits, range);
    const auto type = found ? std::optional(kTypes[static_cast<std::size_t>(*found)]) : std::nullopt;
    return f90_type(mpi::Combiner::kF90Complex, type, {digits, range}, handle);
}
int Type_create_f90_integer(int range, MPI_Datatype* handle) {
    std::optional<mpi::BasicType> type;
    if (range <= 18) type = mpi::BasicType::kInteger8;
    if (range <= 9) type = mpi::BasicType::kInteger4;
    if (range <= 4) type = mpi::BasicType::kInteger2;
    if (range <= 2) type = mpi::BasicType::kInteger1;
    return f90_type(mpi::Combiner::kF90Integer, type, {range}, handle);
}

}  // namespace haichi::abi::mpich
