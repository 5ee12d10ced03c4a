#pragma once

#include <string>

namespace haichi::abi::mpich {

/// What MPI_Error_string says of an error class of MPICH's header.
const char* class_text(int error_class);
/// The same of a code, which may be one that the program has added.
std::string error_text(int code);

}  // namespace haichi::abi::mpich
