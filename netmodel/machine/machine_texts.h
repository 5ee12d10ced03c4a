#pragma once

#include <string_view>

namespace haichi {

/// The text of machines/NAME.json, compiled into the program.
std::string_view machine_text(std::string_view name);

}  // namespace haichi
