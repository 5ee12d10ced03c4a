#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace haichi::mpi {

class Datatype;
using DatatypeRef = std::shared_ptr<const Datatype>;

/// The constructor that made a type, as reported by MPI_Type_get_envelope. The ABI assigns the numeric values.
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

/// States if the constructor had int counts or large counts ("_c"); the two forms store counts in different vectors.
enum class CountForm : std::uint8_t { kInt, kLarge };

/// The arguments of a type's constructor, in the order in which MPI_Type_get_contents returns them.
struct TypeContents {
    Combiner combiner = Combiner::kNamed;
    CountForm form = CountForm::kInt;
    std::vector<std::int32_t> integers;
    std::vector<std::int64_t> addresses;
    std::vector<std::int64_t> large_counts;
    std::vector<DatatypeRef> types;
};

}  // namespace haichi::mpi
