#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "collectives/item_type.h"
#include "mgen/mpi/datatype.h"

namespace haichi::mpi {

class Operation;
using OperationRef = std::shared_ptr<const Operation>;

/// The operations that MPI has itself.
enum class OperationKind : std::uint8_t {
    kMax,
    kMin,
    kSum,
    kProduct,
    kLogicalAnd,
    kBitAnd,
    kLogicalOr,
    kBitOr,
    kLogicalXor,
    kBitXor,
    kMaxLocation,
    kMinLocation,
    kReplace,
    kNoOperation,
};

inline constexpr int kOperationKinds = static_cast<int>(OperationKind::kNoOperation) + 1;

/// "MPI_MAX"
std::string_view name(OperationKind kind);

/// Whether MPI defines the operation on the type.
bool is_defined(OperationKind kind, BasicType type);

/// What a reduction does with two items. Immutable.
class Operation : public collectives::Reduction {
  public:
    /// inout = in OPERATION inout for `count` items.
    using Function = std::function<void(const void* in, void* inout, std::int64_t count, const Datatype& type)>;

    /// MPI's own; the same object each time.
    static const OperationRef& predefined(OperationKind kind);
    /// A program's; its function knows what the ABI needs to call it.
    Operation(Function function, bool commutes) : Reduction(commutes, true), function_(std::move(function)) {}

    /// nullopt: a program's.
    [[nodiscard]] std::optional<OperationKind> kind() const { return kind_; }

    /// Throws CallError (kOperation) if the operation is not defined on the type. A program's is on all of them.
    void check(const Datatype& type) const;

    /// inout = in OPERATION inout for `count` items of a type that check() allows.
    void apply(const void* in, void* inout, std::int64_t count, const Datatype& type) const;

    /// What an accumulate does at the target: `from` are packed_bytes(count) bytes; the type may be made of one
    /// basic type in any way. Only MPI's own operations; CallError for others.
    void accumulate(const std::byte* from, void* target, std::int64_t count, const Datatype& type) const;

  private:
    explicit Operation(OperationKind kind);

    Function function_;
    std::optional<OperationKind> kind_;
};

}  // namespace haichi::mpi
