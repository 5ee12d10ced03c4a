#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// The text with the characters that control terminals escaped, as in \x1b. These are ASCII and C1 controls, controls
/// of the writing direction, and invalid UTF-8. Characters of `kept` are not escaped.
std::string without_controls(std::string_view text, std::string_view kept = {});

}  // namespace haichi
