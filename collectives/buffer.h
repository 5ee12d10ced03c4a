#pragma once

#include <cstdint>

#include "collectives/item_type.h"

namespace haichi::collectives {

/// Items in memory. If an exchange moves no data, only their number and type are used.
struct Buffer {
    void* data = nullptr;
    std::int64_t count = 0;
    const ItemType* type = nullptr;

    /// Packed size in bytes.
    [[nodiscard]] std::int64_t bytes() const { return type == nullptr ? 0 : type->packed_bytes(count); }
};

}  // namespace haichi::collectives
