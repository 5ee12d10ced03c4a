#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "commlog/log/rank_record.h"

namespace haichi {

/// Encodes a rank as a record of a job file. Numbers are in LEB128, except counters, which have 64 bits. Times are
/// 64-bit doubles in seconds.
std::vector<std::byte> encode_rank(const RankRecord& rank);

/// Throws InputError with `place` and the offset for bytes that encode_rank did not write.
RankRecord decode_rank(std::span<const std::byte> record, const std::string& place);

}  // namespace haichi
