#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haichi {

/// "1x2x4x2x3x2" -> {1,2,4,2,3,2}; zeros are accepted (origins have them). Throws OptionError naming `what`, with
/// `example` as its hint.
std::vector<std::int32_t> parse_sizes(std::string_view text, std::string_view what, char separator = 'x',
                                      std::string_view example = "1x2x4x2x3x2");

/// "1x2x4x2x3x2"
std::string sizes_text(const std::vector<std::int32_t>& sizes);

}  // namespace haichi
