#pragma once

#include <cstdint>

#include "commlog/log/call_log_memory.h"

namespace haichi {

/// Hashes a number to 64 bits (Stafford's variant 13 of MurmurHash3's finalizer).
constexpr std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Returns the slot of `hash`, or the free slot in which to insert it. The table uses open addressing, has a fixed
/// size, and is at most half full. Two keys with the same 64-bit hash are treated as one key.
template <std::uint32_t size>
HashSlot& slot_of(HashSlot (&table)[size], std::uint64_t hash) {
    static_assert((size & (size - 1)) == 0);
    std::uint32_t at = static_cast<std::uint32_t>(hash >> 32) & (size - 1);
    while (table[at].hash != 0 && table[at].hash != hash) at = (at + 1) & (size - 1);
    return table[at];
}

}  // namespace haichi
