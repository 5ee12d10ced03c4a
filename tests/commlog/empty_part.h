#pragma once

#include <cstdlib>
#include <cstring>

#include "commlog/log/profile_memory.h"

namespace haichi {

/// Returns the empty part of rank 1 of 4, with two threads and a profile. The caller frees it.
inline ProfileMemory* empty_part() {
    auto* const memory = static_cast<ProfileMemory*>(std::calloc(1, sizeof(ProfileMemory)));
    ProfileHeader& header = memory->header;
    std::memcpy(header.magic, kPartMagic, sizeof(kPartMagic));
    header.version = kPartVersion;
    header.byte_order = kByteOrder;
    header.size = sizeof(ProfileMemory);
    header.rank = 1;
    header.ranks = 4;
    header.ticks_per_second = 1000;
    header.threads = 2;
    header.has_profile = 1;
    return memory;
}

}  // namespace haichi
