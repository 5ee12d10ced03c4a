#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// Throws InputError if the file belongs to a trace but is not the file to pass, such as the .evt of an OTF2 archive.
/// It also throws for the binary form of a trace that haichi reads as text. The hint names the file or the command.
/// `prefix` is the beginning of the file.
void refuse_other_file_of_trace(const std::string& path, std::string_view prefix);

/// Returns the only log in a directory that a tool has written. If every rank has a file, it is the first one. Throws
/// InputError that lists the logs if there are several, or states the contents of the directory.
std::string log_in_directory(const std::string& path);

}  // namespace haichi
