#pragma once

#include <string>
#include <vector>

namespace haichi::abi {

/// An MPI function that live programs may not use.
struct RefusedCall {
    std::string name;    ///< "MPI_File_open"
    std::string reason;  ///< may be empty
};

// The refused functions of each binary interface, as listed in calls.txt.
const std::vector<RefusedCall>& refused_calls_of_mpich();
const std::vector<RefusedCall>& refused_calls_of_openmpi();

}  // namespace haichi::abi
