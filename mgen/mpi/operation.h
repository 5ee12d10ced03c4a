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

/// MPI's predefined operations.
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

/// The name in MPI, such as "MPI_MAX".
std::string_view name(OperationKind kind);

/// True if MPI defines the operation on the type.
bool is_defined(OperationKind kind, BasicType type);

/// A function that a reduction applies to two items. The object is immutable.
class Operation : public collectives::Reduction {
  public:
    /// inout = in OPERATION inout for `count` items.
    using Function = std::function<void(const void* in, void* inout, std::int64_t count, const Datatype& type)>;

    /// Returns a predefined operation; every call returns the same object.
    static const OperationRef& predefined(OperationKind kind);
    /// Wraps an operation of the program. `function` contains the data that the ABI needs to call the program.
    Operation(Function function, bool commutes) : Reduction(commutes, true), function_(std::move(function)) {}

    /// nullopt for an operation of the program.
    [[nodiscard]] std::optional<OperationKind> kind() const { return kind_; }

    /// Throws CallError (kOperation) if the operation is not defined on the type. Operations of the program are defined
    /// on all types.
    void check(const Datatype& type) const;

    /// Computes inout = in OPERATION inout for `count` items of a type that check() accepts.
    void apply(const void* in, void* inout, std::int64_t count, const Datatype& type) const;

    /// Applies an accumulate to the target's memory. `from` points to packed_bytes(count) bytes. All elements of the
    /// type must have the same basic type. Throws CallError for operations of the program.
    void accumulate(const std::byte* from, void* target, std::int64_t count, const Datatype& type) const;

  private:
    explicit Operation(OperationKind kind);

    Function function_;
    std::optional<OperationKind> kind_;
};

}  // namespace haichi::mpi
