#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "commlog/log/rank_record.h"

namespace haichi {

/// Encodes a rank as a record of a job file: numbers in LEB128, and counters as 64 bits. Times are doubles in seconds.
std::vector<std::byte> encode_rank(const RankRecord& rank);

/// Throws InputError with `place` and the offset if encode_rank() cannot have written the bytes.
RankRecord decode_rank(std::span<const std::byte> record, const std::string& place);

}  // namespace haichi
