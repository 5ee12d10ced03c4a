#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace haichi::mpi {

class Datatype;
using DatatypeRef = std::shared_ptr<const Datatype>;

/// How a type was made, as MPI_Type_get_envelope names it. Numbers are the ABI's affair.
enum class Combiner : std::uint8_t {
    kNamed,
    kDup,
    kContiguous,
    kVector,
    kHvector,
    kIndexed,
    kHindexed,
    kIndexedBlock,
    kHindexedBlock,
    kStruct,
    kSubarray,
    kDarray,
    kF90Real,
    kF90Complex,
    kF90Integer,
    kResized,
};

/// Whether a type was made by a call with int counts or by one with large counts ("_c"), which stores them elsewhere.
enum class CountForm : std::uint8_t { kInt, kLarge };

/// The arguments of the call that made a type, in the order in which MPI_Type_get_contents gives them back.
struct TypeContents {
    Combiner combiner = Combiner::kNamed;
    CountForm form = CountForm::kInt;
    std::vector<std::int32_t> integers;
    std::vector<std::int64_t> addresses;
    std::vector<std::int64_t> large_counts;
    std::vector<DatatypeRef> types;
};

}  // namespace haichi::mpi
