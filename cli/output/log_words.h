#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "commlog/log/job_log.h"

namespace haichi::cli {

/// A time with three significant digits: "35 ms", "2.6 s", "120 ns".
std::string seconds_text(double seconds);

/// A size with three significant digits, or an integer below 1 KiB: "8 B", "1.5 MiB".
std::string bytes_text(double bytes);

/// A fraction in per cent: "12.5%", or "<0.1%" for small values above 0.
std::string percent_text(double share);

/// Text from a log as part of a line. Control characters and invalid bytes are escaped, and long texts are cut.
std::string printable(std::string_view text);

/// The smallest size in class `k` of a histogram: "0", "2", "4", ..., "1K", "8M+".
std::string size_class_name(int k);

/// The size classes with the most messages, as in "8: 95%, 4K: 5%".
std::string message_sizes_text(const MessageStatistics& messages);

/// A text bar whose length is the fraction `share` of `width` characters.
std::string bar(double share, std::size_t width);

}  // namespace haichi::cli
