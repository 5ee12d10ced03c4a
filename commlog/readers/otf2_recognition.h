#pragma once

#include <string_view>

namespace haichi {

/// The anchor file of an archive: its byte order's mark and length, then "OTF2".
constexpr bool begins_like_otf2(std::string_view prefix) {
    return prefix.starts_with("OTF2") || prefix.substr(0, 16).find("OTF2") != std::string_view::npos;
}

}  // namespace haichi
