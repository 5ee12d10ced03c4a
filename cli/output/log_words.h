#pragma once

#include <array>
#include <string>
#include <string_view>

#include "commlog/log/job_log.h"

namespace haichi::cli {

/// "35 ms", "2.6 s", "120 ns": three significant digits.
std::string seconds_text(double seconds);

/// "8 B", "1.5 MiB": three significant digits, whole below 1 KiB.
std::string bytes_text(double bytes);

/// "12.5%"; "<0.1%" for what is not nothing.
std::string percent_text(double share);

/// Text from a log as part of a line: control characters and invalid bytes escaped, cut to a printable length.
std::string printable(std::string_view text);

/// The same of any length: of sentences.
std::string without_controls(std::string_view text);

/// What class `k` of a histogram begins with: "0", "2", "4", .. "1K", "8M+".
std::string size_class_name(int k);

/// The fullest classes, "8: 95%, 4K: 5%".
std::string message_sizes_text(const MessageStatistics& messages);

/// `share` of `width` characters.
std::string bar(double share, std::size_t width);

}  // namespace haichi::cli
