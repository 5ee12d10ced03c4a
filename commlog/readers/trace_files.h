#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// Throws InputError if the file belongs to a trace but is not the file to name, for example the .evt of an OTF2
/// archive, or if it is the binary form of a trace that haichi reads as text. The hint names the file or the command.
/// `prefix` is the beginning of the file.
void refuse_other_file_of_trace(const std::string& path, std::string_view prefix);

/// Returns the log in a directory that a tool has written: the only file of a known format in it, or the first file of
/// the only job. Throws InputError that lists the logs if there are several, or states what the directory has.
std::string log_in_directory(const std::string& path);

}  // namespace haichi
