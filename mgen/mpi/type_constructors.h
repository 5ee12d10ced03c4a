#pragma once

#include <cstdint>
#include <span>

#include "mgen/mpi/datatype.h"

namespace haichi::mpi {

// MPI's data type constructors, with MPI's rules for bounds and extents. Displacements and strides are multiples of the
// old type's extent; the h... functions take bytes. They throw CallError (kArgument, kCount) for arguments that MPI
// rejects, and UnsupportedError if a size or an extent does not fit 64 bits. `form` affects only the result of
// get_contents.

/// Blocks with individual displacements and lengths.
struct IndexedBlocks {
    std::span<const std::int64_t> lengths;
    std::span<const std::int64_t> displacements;
};

DatatypeRef make_contiguous(std::int64_t count, const DatatypeRef& old, CountForm form = CountForm::kInt);
DatatypeRef make_vector(std::int64_t count, std::int64_t length, std::int64_t stride, const DatatypeRef& old,
                        CountForm form = CountForm::kInt);
DatatypeRef make_hvector(std::int64_t count, std::int64_t length, std::int64_t stride_bytes, const DatatypeRef& old,
                         CountForm form = CountForm::kInt);
DatatypeRef make_indexed(const IndexedBlocks& blocks, const DatatypeRef& old, CountForm form = CountForm::kInt);
DatatypeRef make_hindexed(const IndexedBlocks& blocks, const DatatypeRef& old, CountForm form = CountForm::kInt);
DatatypeRef make_indexed_block(std::int64_t length, std::span<const std::int64_t> displacements, const DatatypeRef& old,
                               CountForm form = CountForm::kInt);
DatatypeRef make_hindexed_block(std::int64_t length, std::span<const std::int64_t> displacements_bytes,
                                const DatatypeRef& old, CountForm form = CountForm::kInt);
/// Displacements are in bytes. The MPI-1 types MPI_LB and MPI_UB set the bounds.
DatatypeRef make_struct(const IndexedBlocks& blocks, std::span<const DatatypeRef> old,
                        CountForm form = CountForm::kInt);
DatatypeRef make_resized(const DatatypeRef& old, std::int64_t lower_bound, std::int64_t extent,
                         CountForm form = CountForm::kInt);
DatatypeRef make_dup(const DatatypeRef& old);
/// A basic type made by MPI_Type_create_f90_...; `integers` are the arguments of the call.
DatatypeRef make_f90(Combiner combiner, BasicType type, std::span<const std::int32_t> integers);

enum class ArrayOrder : std::uint8_t { kC, kFortran };

/// A rectangular part of an array with any number of dimensions.
struct Subarray {
    std::span<const std::int64_t> sizes;
    std::span<const std::int64_t> subsizes;
    std::span<const std::int64_t> starts;
    ArrayOrder order = ArrayOrder::kC;
};
/// `order_number` is the ABI's value for get_contents.
DatatypeRef make_subarray(const Subarray& part, std::int32_t order_number, const DatatypeRef& old,
                          CountForm form = CountForm::kInt);

enum class Distribution : std::uint8_t { kBlock, kCyclic, kNone };

/// The part of a distributed array that one rank of the process grid holds.
struct DistributedArray {
    int processes = 1;
    int rank = 0;
    std::span<const std::int64_t> sizes;
    std::span<const Distribution> distributions;
    std::span<const std::int32_t> arguments;  ///< block lengths; kDefaultArgument selects MPI's default
    std::span<const std::int32_t> grid;       ///< grid size in each dimension
    ArrayOrder order = ArrayOrder::kC;

    static constexpr std::int32_t kDefaultArgument = -49767;
};
/// `distribution_numbers` and `order_number` are the ABI's values for get_contents.
DatatypeRef make_darray(const DistributedArray& array, std::span<const std::int32_t> distribution_numbers,
                        std::int32_t order_number, const DatatypeRef& old, CountForm form = CountForm::kInt);

}  // namespace haichi::mpi
