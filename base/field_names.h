#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// The name of an option or parameter in a message. The library does not know how the user spells it, so messages
/// contain "§time" (also in literals). Code that shows messages replaces such names with spelled().
std::string field(std::string_view name);
/// `text` with each "§name" replaced by `spelling(name)`, which is for example "--time" on the command line.
std::string spelled(std::string_view text, std::string (*spelling)(std::string_view name));

}  // namespace haichi
