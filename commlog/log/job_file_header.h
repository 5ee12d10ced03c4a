#pragma once

#include <cstdint>

namespace haichi {

/// A job file is a JobFileHeader followed by the records, each as its length (64 bits) and its bytes (encode_rank).
/// Numbers are in the byte order of the machine that wrote the file, which the header states.
inline constexpr char kJobMagic[8] = {'H', 'A', 'I', 'C', 'H', 'I', 'J', 'L'};
inline constexpr std::uint32_t kJobVersion = 3;

struct JobFileHeader {
    char magic[8];             ///< kJobMagic
    std::uint32_t version;     ///< kJobVersion
    std::uint32_t byte_order;  ///< kByteOrder
    std::uint64_t records;
};

}  // namespace haichi
