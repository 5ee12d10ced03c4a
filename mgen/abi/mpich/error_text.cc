#include "mgen/abi/mpich/error_text.h"

#include <array>

namespace haichi::abi::mpich {

const char* class_text(int error_class) {
    // Indexed by the error classes of mpi.h. The texts are MPICH's own, because some programs and tests compare them.
    static constexpr std::array kTexts = {
        "No MPI error",
        "Invalid buffer pointer",
        "Invalid count",
        "Invalid datatype",
        "Invalid tag",
        "Invalid communicator",
        "Invalid rank",
        "Invalid root",
        "Invalid group",
        "Invalid MPI_Op",
        "Invalid topology",
        "Invalid dimension argument",
        "Invalid argument",
        "Unknown error.  Please file a bug report.",
        "Message truncated",
        "Other MPI error",
        "Internal MPI error!",
        "See the MPI_ERROR field in MPI_Status for the error code",
        "Pending request (no error)",
        "Request pending due to failure",
        "Access denied to file",
        "Invalid amode value in MPI_File_open ",
        "Invalid file name",
        "An error occurred in a user-defined data conversion function",
        "The requested datarep name has already been specified to MPI_REGISTER_DATAREP",
        "File exists",
        "File in use by some process",
        "Invalid MPI_File",
        "Invalid MPI_Info",
        "Invalid key for MPI_Info ",
        "Invalid MPI_Info value ",
        "MPI_Info key is not defined ",
        "Other I/O error ",
        "Invalid service name (see MPI_Publish_name)",
        "Unable to allocate memory for MPI_Alloc_mem",
        "Inconsistent arguments to collective routine ",
        "Not enough space for file ",
        "File does not exist",
        "Invalid port",
        "Quota exceeded for files",
        "Read-only file or filesystem name",
        "Attempt to lookup an unknown service name ",
        "Error in spawn call",
        "Unsupported datarep passed to MPI_File_set_view ",
        "Unsupported file operation ",
        "Invalid MPI_Win",
        "Invalid base address",
        "Invalid locktype argument",
        "Invalid keyval",
        "Conflicting accesses to window ",
        "Wrong synchronization of RMA calls ",
        "Invalid size argument in RMA call",
        "Invalid displacement argument in RMA call ",
        "Invalid assert argument",
        "Process failed",
        "Target memory is not contained within the window",
        "Memory cannot be attached",
        "Memory cannot be shared",
        "Incorrect window flavor",
        "Communication object revoked",
        "Operation could not be issued (EAGAIN)",
        "failure occurred while allocating memory for a request object",
    };
    const auto at = static_cast<std::size_t>(error_class);
    return at < kTexts.size() ? kTexts[at] : "Unknown error class";
}

}  // namespace haichi::abi::mpich
