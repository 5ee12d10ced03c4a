#pragma once

#include <cstdint>
#include <string>

#include "base/errors.h"

namespace haichi::mpi {

/// The MPI error classes that this module raises. The ABI assigns the numeric values.
enum class ErrorClass : std::uint8_t {
    kBuffer,
    kCount,
    kType,
    kTag,
    kCommunicator,
    kRank,
    kRoot,
    kTruncate,
    kGroup,
    kOperation,
    kRequest,
    kTopology,
    kDimensions,
    kArgument,
    kWindow,
    kDisplacement,
    kSize,
    kLockKind,
    kAssertion,
    kRmaSync,
    kRmaAttach,
    kRmaShared,
    kRmaFlavor,
    kOther,
};

/// A call with an argument that MPI does not allow. The ABI passes the error to the communicator's error handler.
class CallError : public InputError {
  public:
    CallError(ErrorClass error_class, const std::string& message, std::string hint = {})
        : InputError(message, std::move(hint)), error_class_(error_class) {}

    [[nodiscard]] ErrorClass error_class() const { return error_class_; }

  private:
    ErrorClass error_class_;
};

}  // namespace haichi::mpi
