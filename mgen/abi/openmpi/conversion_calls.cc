// The functions MPI_*_f2c and MPI_*_c2f. In MPICH's header, these are macros.

#include <mpi.h>

#include <cstring>

#include "mgen/abi/openmpi/arguments.h"

namespace {

using haichi::abi::openmpi::handle_of_fortran;
using haichi::abi::openmpi::number_in_fortran;

}  // namespace

// The functions in this file have other names in C++ than in MPICH's header.
#define CONVERSIONS(NAME, HANDLE)                                                                          \
    EXPORTED MPI_Fint openmpi_##NAME##_c2f(haichi::abi::openmpi::HANDLE given) asm("PMPI_" #NAME "_c2f");  \
    MPI_Fint openmpi_##NAME##_c2f(haichi::abi::openmpi::HANDLE given) { return number_in_fortran(given); } \
    EXPORTED_WEAK("PMPI_" #NAME "_c2f")                                                                    \
    MPI_Fint openmpi_second_##NAME##_c2f(haichi::abi::openmpi::HANDLE given) asm("MPI_" #NAME "_c2f");     \
    EXPORTED haichi::abi::openmpi::HANDLE openmpi_##NAME##_f2c(MPI_Fint given) asm("PMPI_" #NAME "_f2c");  \
    haichi::abi::openmpi::HANDLE openmpi_##NAME##_f2c(MPI_Fint given) {                                    \
        return handle_of_fortran<haichi::abi::openmpi::HANDLE>(given);                                     \
    }                                                                                                      \
    EXPORTED_WEAK("PMPI_" #NAME "_f2c")                                                                    \
    haichi::abi::openmpi::HANDLE openmpi_second_##NAME##_f2c(MPI_Fint given) asm("MPI_" #NAME "_f2c");

CONVERSIONS(Comm, Comm)
CONVERSIONS(Errhandler, Errhandler)
CONVERSIONS(Group, Group)
CONVERSIONS(Info, Info)
CONVERSIONS(Message, Message)
CONVERSIONS(Op, Op)
CONVERSIONS(Request, Request)
CONVERSIONS(Session, Session)
CONVERSIONS(Type, Datatype)
CONVERSIONS(Win, Win)

// A status consists of the same six integers in C and in Fortran.
#define STATUS_CONVERSION(NAME)                                                 \
    EXPORTED int openmpi_##NAME(const void* from, void* to) asm("PMPI_" #NAME); \
    int openmpi_##NAME(const void* from, void* to) {                            \
        std::memcpy(to, from, sizeof(haichi::abi::openmpi::Status));            \
        return MPI_SUCCESS;                                                     \
    }                                                                           \
    EXPORTED_WEAK("PMPI_" #NAME)                                                \
    int openmpi_second_##NAME(const void* from, void* to) asm("MPI_" #NAME);

STATUS_CONVERSION(Status_c2f)
STATUS_CONVERSION(Status_f2c)
