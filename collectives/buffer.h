#pragma once

#include <cstdint>

#include "collectives/item_type.h"

namespace haichi::collectives {

/// Items in memory, or of an exchange that moves no data: their number and type alone.
struct Buffer {
    void* data = nullptr;
    std::int64_t count = 0;
    const ItemType* type = nullptr;

    /// Packed.
    [[nodiscard]] std::int64_t bytes() const { return type == nullptr ? 0 : type->packed_bytes(count); }
};

}  // namespace haichi::collectives
