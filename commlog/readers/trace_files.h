#pragma once

#include <string>
#include <string_view>

namespace haichi {

/// Throws InputError if the file belongs to a trace, but another file has to be passed to haichi. An example is the
/// .evt file of an OTF2 archive. It also throws for the binary form of a trace that haichi reads only as text. The hint
/// names the file to pass, or the command that converts the trace. `prefix` is the beginning of the file.
void refuse_other_file_of_trace(const std::string& path, std::string_view prefix);

/// Returns the only log in a directory, as written by a tool. If there is one file per rank, it returns the first of
/// them. Throws InputError that lists the logs if there are several. If there are none, the error states what the
/// directory contains.
std::string log_in_directory(const std::string& path);

}  // namespace haichi
