#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/workload/workload.h"

namespace haichi {

/// "a message from rank 1, tag 0, at most 8 bytes" and so on, for reports of programs that are stuck.
std::string receive_text(RankId source, std::int32_t tag, std::int64_t bytes);
/// A rendezvous that is not answered.
std::string send_text(RankId destination, std::int32_t tag, std::int64_t bytes);
/// The first few of them, behind a blank; `count` are open in all.
std::string list_text(const std::vector<std::string>& requests, std::uint32_t count);

}  // namespace haichi
