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
    Buffer origin{};  ///< the data sent to the target; for kGet, the returned data
    DatatypeRef origin_type{};
    Buffer result{};  ///< the previous data at the target, for kGetAccumulate and kCompareAndSwap
    DatatypeRef result_type{};
    const void* compare = nullptr;  ///< an item of the origin's type, for kCompareAndSwap
    int target = 0;                 ///< a member of the window
    std::int64_t displacement = 0;  ///< in units of the target's displacement unit; an address for a dynamic window
    std::int64_t target_count = 0;
    DatatypeRef target_type{};
    OperationRef operation{};  ///< for kAccumulate and kGetAccumulate

    [[nodiscard]] bool is_update() const { return kind != Kind::kPut && kind != Kind::kGet; }
    /// True if the access returns data.
    [[nodiscard]] bool is_read() const { return kind != Kind::kPut && kind != Kind::kAccumulate; }
    /// Packed bytes sent to the target; bytes_back() is the number of bytes returned.
    [[nodiscard]] std::int64_t bytes_there() const;
    [[nodiscard]] std::int64_t bytes_back() const;
};

}  // namespace haichi::mpi
