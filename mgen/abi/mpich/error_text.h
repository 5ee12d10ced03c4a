#pragma once

#include <string>

namespace haichi::abi::mpich {

/// The text that MPI_Error_string returns for an error class of MPICH's header.
const char* class_text(int error_class);
/// Like class_text(), for an error code; also handles codes that the program has added.
std::string error_text(int code);

}  // namespace haichi::abi::mpich
