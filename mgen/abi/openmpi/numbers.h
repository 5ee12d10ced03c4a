#pragma once

// Conversions between the constants of Open MPI's header and of MPICH's. Constants that are equal in both have no
// function here.

namespace haichi::abi::openmpi {

// From MPICH's value to Open MPI's:
int rank(int of_mpich);  ///< also MPI_PROC_NULL, MPI_ANY_SOURCE and MPI_ROOT
int error_number(int of_mpich);
int combiner(int of_mpich);
int topology_kind(int of_mpich);

// From Open MPI's value to MPICH's: An unknown value becomes one that MPICH does not know either.
int rank_of_mpich(int given);
int error_code_of_mpich(int given);
int keyval_of_mpich(int given);
int assertion(int given);
int lock_type(int given);
int array_order(int given);
int type_class(int given);
int distribution(int given);
int distribution_argument(int given);

inline constexpr int kNoKeyval = -1;        ///< MPI_KEYVAL_INVALID
inline constexpr int kUnifiedModel = 0;     ///< MPI_WIN_UNIFIED
inline constexpr int kSharedType = 0;       ///< MPI_COMM_TYPE_SHARED
inline constexpr int kMostErrorText = 256;  ///< MPI_MAX_ERROR_STRING
inline constexpr int kMostObjectName = 64;  ///< MPI_MAX_OBJECT_NAME
inline constexpr int kMostVersion = 256;    ///< MPI_MAX_LIBRARY_VERSION_STRING

}  // namespace haichi::abi::openmpi
