#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// The name of an option or parameter in a message. The library does not know the user's spelling, so messages contain
/// "§time" (in literals, too), and the code that shows them replaces it with spelled().
std::string field(std::string_view name);
/// `text` with each "§name" replaced by the name in `spelling`, for example "--time" on the command line.
std::string spelled(std::string_view text, std::string (*spelling)(std::string_view name));

}  // namespace haichi
