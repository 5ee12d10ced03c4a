#pragma once

#include <string>

namespace haichi {

/// Checks files that another file or a rule names rather than the user: opening a pipe would wait, and a device is
/// endless. Throws InputError naming the file if it is missing or not a regular file. A symbolic link may lead to one.
void check_regular_file(const std::string& path);

}  // namespace haichi
