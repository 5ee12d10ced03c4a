#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// The name of an option or parameter in a message. The library does not know how its user writes it: messages hold
/// "§time" (the same in literals), and whoever shows them replaces it by spelled().
std::string field(std::string_view name);
/// `text` with each "§name" as `spelling` writes the name: "--time" on the command line.
std::string spelled(std::string_view text, std::string (*spelling)(std::string_view name));

}  // namespace haichi
