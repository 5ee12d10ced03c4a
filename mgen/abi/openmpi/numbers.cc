#include "mgen/abi/openmpi/numbers.h"

#include <mpi.h>

#include <algorithm>
#include <optional>
#include <span>

namespace haichi::abi::openmpi {

namespace {

struct Pair {
    int number;    ///< value in Open MPI's header
    int of_mpich;  ///< value in MPICH's header
};

constexpr Pair kErrors[] = {
    {0, MPI_SUCCESS},
    {1, MPI_ERR_BUFFER},
    {2, MPI_ERR_COUNT},
    {3, MPI_ERR_TYPE},
    {4, MPI_ERR_TAG},
    {5, MPI_ERR_COMM},
    {6, MPI_ERR_RANK},
    {7, MPI_ERR_REQUEST},
    {8, MPI_ERR_ROOT},
    {9, MPI_ERR_GROUP},
    {10, MPI_ERR_OP},
    {11, MPI_ERR_TOPOLOGY},
    {12, MPI_ERR_DIMS},
    {13, MPI_ERR_ARG},
    {14, MPI_ERR_UNKNOWN},
    {15, MPI_ERR_TRUNCATE},
    {16, MPI_ERR_OTHER},
    {17, MPI_ERR_INTERN},
    {18, MPI_ERR_IN_STATUS},
    {19, MPI_ERR_PENDING},
    {20, MPI_ERR_ACCESS},
    {21, MPI_ERR_AMODE},
    {22, MPI_ERR_ASSERT},
    {23, MPI_ERR_BAD_FILE},
    {24, MPI_ERR_BASE},
    {25, MPI_ERR_CONVERSION},
    {26, MPI_ERR_DISP},
    {27, MPI_ERR_DUP_DATAREP},
    {28, MPI_ERR_FILE_EXISTS},
    {29, MPI_ERR_FILE_IN_USE},
    {30, MPI_ERR_FILE},
    {31, MPI_ERR_INFO_KEY},
    {32, MPI_ERR_INFO_NOKEY},
    {33, MPI_ERR_INFO_VALUE},
    {34, MPI_ERR_INFO},
    {35, MPI_ERR_IO},
    {36, MPI_ERR_KEYVAL},
    {37, MPI_ERR_LOCKTYPE},
    {38, MPI_ERR_NAME},
    {39, MPI_ERR_NO_MEM},
    {40, MPI_ERR_NOT_SAME},
    {41, MPI_ERR_NO_SPACE},
    {42, MPI_ERR_NO_SUCH_FILE},
    {43, MPI_ERR_PORT},
    {44, MPI_ERR_QUOTA},
    {45, MPI_ERR_READ_ONLY},
    {46, MPI_ERR_RMA_CONFLICT},
    {47, MPI_ERR_RMA_SYNC},
    {48, MPI_ERR_SERVICE},
    {49, MPI_ERR_SIZE},
    {50, MPI_ERR_SPAWN},
    {51, MPI_ERR_UNSUPPORTED_DATAREP},
    {52, MPI_ERR_UNSUPPORTED_OPERATION},
    {53, MPI_ERR_WIN},
    {68, MPI_ERR_RMA_RANGE},
    {69, MPI_ERR_RMA_ATTACH},
    {70, MPI_ERR_RMA_FLAVOR},
    {71, MPI_ERR_RMA_SHARED},
    {75, MPIX_ERR_PROC_FAILED},
    {76, MPIX_ERR_PROC_FAILED_PENDING},
    {77, MPIX_ERR_REVOKED},
    {78, MPI_ERR_SESSION},
};
constexpr Pair kCombiners[] = {
    {0, MPI_COMBINER_NAMED},           {1, MPI_COMBINER_DUP},           {2, MPI_COMBINER_CONTIGUOUS},
    {3, MPI_COMBINER_VECTOR},          {5, MPI_COMBINER_HVECTOR},       {6, MPI_COMBINER_INDEXED},
    {8, MPI_COMBINER_HINDEXED},        {9, MPI_COMBINER_INDEXED_BLOCK}, {11, MPI_COMBINER_STRUCT},
    {12, MPI_COMBINER_SUBARRAY},       {13, MPI_COMBINER_DARRAY},       {14, MPI_COMBINER_F90_REAL},
    {15, MPI_COMBINER_F90_COMPLEX},    {16, MPI_COMBINER_F90_INTEGER},  {17, MPI_COMBINER_RESIZED},
    {18, MPI_COMBINER_HINDEXED_BLOCK},
};
constexpr Pair kKeyvals[] = {
    {0, MPI_TAG_UB},
    {1, MPI_HOST},
    {2, MPI_IO},
    {3, MPI_WTIME_IS_GLOBAL},
    {4, MPI_APPNUM},
    {5, MPI_LASTUSEDCODE},
    {6, MPI_UNIVERSE_SIZE},
    {7, MPI_WIN_BASE},
    {8, MPI_WIN_SIZE},
    {9, MPI_WIN_DISP_UNIT},
    {10, MPI_WIN_CREATE_FLAVOR},
    {11, MPI_WIN_MODEL},
    {kNoKeyval, MPI_KEYVAL_INVALID},
};
constexpr Pair kAssertions[] = {
    {1, MPI_MODE_NOCHECK}, {2, MPI_MODE_NOPRECEDE},  {4, MPI_MODE_NOPUT},
    {8, MPI_MODE_NOSTORE}, {16, MPI_MODE_NOSUCCEED},
};

std::optional<int> of_mpich(std::span<const Pair> pairs, int number) {
    const auto found = std::ranges::find(pairs, number, &Pair::number);
    return found == pairs.end() ? std::nullopt : std::optional(found->of_mpich);
}

std::optional<int> of_openmpi(std::span<const Pair> pairs, int number) {
    const auto found = std::ranges::find(pairs, number, &Pair::of_mpich);
    return found == pairs.end() ? std::nullopt : std::optional(found->number);
}

constexpr int kUnknown = -1000;
constexpr int kMostErrorClass = 127;  ///< classes and codes that the program adds are higher in both MPIs

}  // namespace

int rank(int of_mpich) {
    if (of_mpich >= 0) return of_mpich;
    return of_mpich == MPI_PROC_NULL ? -2 : of_mpich == MPI_ANY_SOURCE ? -1 : of_mpich == MPI_ROOT ? -4 : of_mpich;
}

int rank_of_mpich(int given) {
    if (given >= 0) return given;
    return given == -2              ? MPI_PROC_NULL
           : given == -1            ? MPI_ANY_SOURCE
           : given == -4            ? MPI_ROOT
           : given == MPI_UNDEFINED ? MPI_UNDEFINED
                                    : kUnknown + given % kUnknown;
}

int error_number(int of_mpich) {
    if (of_mpich == MPI_SUCCESS || of_mpich > kMostErrorClass) return of_mpich;
    constexpr int kOther = 16;  // MPI_ERR_OTHER
    return of_openmpi(kErrors, of_mpich).value_or(kOther);
}

int error_code_of_mpich(int given) {
    if (given == MPI_SUCCESS || given > kMostErrorClass) return given;
    return of_mpich(kErrors, given).value_or(given < 0 ? given : MPI_ERR_OTHER);
}

int combiner(int number) { return of_openmpi(kCombiners, number).value_or(number); }

int topology_kind(int of_mpich) {
    return of_mpich == MPI_CART    ? 1
           : of_mpich == MPI_GRAPH ? 2
                                   : of_mpich;  // MPI_DIST_GRAPH and MPI_UNDEFINED are equal
}

// Keys that the program has created are equal in both MPIs.
int keyval_of_mpich(int given) { return of_mpich(kKeyvals, given).value_or(given); }

int assertion(int given) {
    int of_all = 0;
    for (const Pair& one : kAssertions) {
        if ((given & one.number) == 0) continue;
        of_all |= one.of_mpich;
        given &= ~one.number;
    }
    return given == 0 ? of_all : kUnknown;
}

int lock_type(int given) { return given == 1 ? MPI_LOCK_EXCLUSIVE : given == 2 ? MPI_LOCK_SHARED : kUnknown; }

int array_order(int given) { return given == 0 ? MPI_ORDER_C : given == 1 ? MPI_ORDER_FORTRAN : kUnknown; }

int type_class(int given) {
    return given == 1   ? MPI_TYPECLASS_INTEGER
           : given == 2 ? MPI_TYPECLASS_REAL
           : given == 3 ? MPI_TYPECLASS_COMPLEX
                        : kUnknown;
}

int distribution(int given) {
    return given == 0   ? MPI_DISTRIBUTE_BLOCK
           : given == 1 ? MPI_DISTRIBUTE_CYCLIC
           : given == 2 ? MPI_DISTRIBUTE_NONE
                        : kUnknown;
}

int distribution_argument(int given) { return given == -1 ? MPI_DISTRIBUTE_DFLT_DARG : given; }

}  // namespace haichi::abi::openmpi
