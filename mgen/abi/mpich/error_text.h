#pragma once

#include <string>

namespace haichi::abi::mpich {

/// The text of MPI_Error_string for an error class of MPICH's header.
const char* class_text(int error_class);
/// The same for an error code, including codes that the program has added.
std::string error_text(int code);

}  // namespace haichi::abi::mpich
