#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "commlog/log/rank_record.h"

namespace haichi {

/// A rank as a record of a job file: numbers in LEB128 but for counters, which have 64 bits, times as 64-bit doubles in
/// seconds.
std::vector<std::byte> encode_rank(const RankRecord& rank);

/// Throws InputError with `place` and the offset for bytes that no encode_rank has written.
RankRecord decode_rank(std::span<const std::byte> record, const std::string& place);

}  // namespace haichi
