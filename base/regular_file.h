#pragma once

#include <string>

namespace haichi {

/// For files that no user named, but another file or a rule: opening a pipe would wait, a device has no end. Throws
/// InputError naming it when it is not there or no regular file; a symbolic link may lead to one.
void check_regular_file(const std::string& path);

}  // namespace haichi
