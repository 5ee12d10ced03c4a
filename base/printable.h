#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// The text without characters that control terminals, which are escaped as in \x1b: ASCII and C1 controls, controls of
/// the writing direction, and invalid UTF-8. Characters of `kept` remain.
std::string without_controls(std::string_view text, std::string_view kept = {});

}  // namespace haichi
