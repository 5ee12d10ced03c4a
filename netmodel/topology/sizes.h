#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haichi {

/// Parses "1x2x4x2x3x2" to {1,2,4,2,3,2}. Accepts zeros, which origins have. Throws OptionError with `what` in the
/// message and `example` as the hint.
std::vector<std::int32_t> parse_sizes(std::string_view text, std::string_view what, char separator = 'x',
                                      std::string_view example = "1x2x4x2x3x2");

/// Inverse of parse_sizes(): "1x2x4x2x3x2".
std::string sizes_text(const std::vector<std::int32_t>& sizes);

}  // namespace haichi
