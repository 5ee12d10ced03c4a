#pragma once

#include <string>

namespace haichi {

/// Checks a file that another file or a rule has named, not the user. Opening a pipe would wait, and a device may be
/// endless. Throws InputError, naming the file, if it is missing or not a regular file. Symbolic links are followed.
void check_regular_file(const std::string& path);

}  // namespace haichi
