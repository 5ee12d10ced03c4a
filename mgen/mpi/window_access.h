#pragma once

#include <cstddef>
#include <cstdint>

#include "mgen/mpi/buffer.h"
#include "mgen/mpi/datatype.h"
#include "mgen/mpi/operation.h"

namespace haichi::mpi {

/// The arguments of a one-sided call.
struct WindowAccess {
    enum class Kind : std::uint8_t { kPut, kGet, kAccumulate, kGetAccumulate, kCompareAndSwap };

    Kind kind = Kind::kPut;
    Buffer origin{};  ///< what goes to the target; of a kGet, what comes back
    DatatypeRef origin_type{};
    Buffer result{};  ///< what was at the target; of kGetAccumulate and kCompareAndSwap
    DatatypeRef result_type{};
    const void* compare = nullptr;  ///< of kCompareAndSwap: an item of the origin's type
    int target = 0;                 ///< a member of the window
    std::int64_t displacement = 0;  ///< in the target's units; of a dynamic window an address
    std::int64_t target_count = 0;
    DatatypeRef target_type{};
    OperationRef operation{};  ///< of kAccumulate and kGetAccumulate

    [[nodiscard]] bool is_update() const { return kind != Kind::kPut && kind != Kind::kGet; }
    /// Something comes back.
    [[nodiscard]] bool is_read() const { return kind != Kind::kPut && kind != Kind::kAccumulate; }
    /// Packed, to the target and back.
    [[nodiscard]] std::int64_t bytes_there() const;
    [[nodiscard]] std::int64_t bytes_back() const;
};

}  // namespace haichi::mpi
