#pragma once

#include <cstdint>

namespace haichi {

/// A job file is a JobFileHeader and then the records, each as its length (64 bits) and its bytes (encode_rank). The
/// header states the byte order of all numbers, which is the order of the machine that wrote the file.
inline constexpr char kJobMagic[8] = {'H', 'A', 'I', 'C', 'H', 'I', 'J', 'L'};
inline constexpr std::uint32_t kJobVersion = 3;

struct JobFileHeader {
    char magic[8];             ///< kJobMagic
    std::uint32_t version;     ///< kJobVersion
    std::uint32_t byte_order;  ///< kByteOrder
    std::uint64_t records;
};

}  // namespace haichi
