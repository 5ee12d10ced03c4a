#include "commlog/profiler/fortran_constants.h"

#include "commlog/profiler/thread_state.h"

namespace haichi::profiler {

namespace {

#if defined(OPEN_MPI)
/// A variable in a common block, under the name decorations of different Fortran compilers. The program's compiler uses
/// one of these names.
struct Constant {
    const void* addresses[4];

    void find(const char* const (&names)[4]) {
        for (int i = 0; i < 4; ++i) addresses[i] = find_symbol(names[i]);
    }
    [[nodiscard]] bool is(const void* address) const {
        return address == addresses[0] || address == addresses[1] || address == addresses[2] || address == addresses[3];
    }
};
#else
/// A pointer that MPICH sets when the first Fortran procedure is called. It is therefore read only when it is needed.
struct Constant {
    const void* const* pointers[2];
    const void* address;

    void find(const char* first, const char* second, const char* variable) {
        pointers[0] = static_cast<const void* const*>(find_symbol(first));
        pointers[1] = second == nullptr ? nullptr : static_cast<const void* const*>(find_symbol(second));
        address = variable == nullptr ? nullptr : find_symbol(variable);
    }
    [[nodiscard]] bool is(const void* given) const {
        return (pointers[0] != nullptr && given == *pointers[0]) || (pointers[1] != nullptr && given == *pointers[1]) ||
               given == address;
    }
};
#endif

Constant status_ignore, statuses_ignore, in_place;

}  // namespace

void find_fortran_constants() {
#if defined(OPEN_MPI)
    status_ignore.find({"mpi_fortran_status_ignore_", "mpi_fortran_status_ignore", "mpi_fortran_status_ignore__",
                        "MPI_FORTRAN_STATUS_IGNORE"});
    statuses_ignore.find({"mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore",
                          "mpi_fortran_statuses_ignore__", "MPI_FORTRAN_STATUSES_IGNORE"});
    in_place.find({"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"});
#else
    status_ignore.find("MPI_F_STATUS_IGNORE", "MPI_F08_STATUS_IGNORE", nullptr);
    statuses_ignore.find("MPI_F_STATUSES_IGNORE", "MPI_F08_STATUSES_IGNORE", nullptr);
    in_place.find("MPIR_F_MPI_IN_PLACE", nullptr, "MPIR_F08_MPI_IN_PLACE");
#endif
}

bool is_status_ignored(const void* status) { return status_ignore.is(status); }
bool is_statuses_ignored(const void* statuses) { return statuses_ignore.is(statuses); }
bool is_in_place(const void* buffer) { return in_place.is(buffer); }

int first_index(void* procedure, Completes which) {
    int index = 1;
#if defined(MPICH_VERSION)
    // A send to MPI_PROC_NULL completes immediately.
    MPI_Fint request;
    MPI_Fint one = 1;
    MPI_Fint outcome = 0;
    MPI_Fint error = MPI_SUCCESS;
    MPI_Status status;
    if (real.Isend(nullptr, 0, handles.byte, MPI_PROC_NULL, 0, handles.self, &request) != MPI_SUCCESS) return 1;
    using Five = void (*)(void*, void*, void*, void*, void*);
    using Six = void (*)(void*, void*, void*, void*, void*, void*);
    ++gate.inside;  // procedures may call functions that have wrappers
    switch (which) {
        case Completes::kWaitAny:
            reinterpret_cast<Five>(procedure)(&one, &request, &index, &status, &error);
            break;
        case Completes::kTestAny:
            reinterpret_cast<Six>(procedure)(&one, &request, &index, &outcome, &status, &error);
            break;
        case Completes::kSome:
            reinterpret_cast<Six>(procedure)(&one, &request, &outcome, &index, &status, &error);
            break;
    }
    --gate.inside;
    if (index != 0) index = 1;
#else
    static_cast<void>(procedure);
    static_cast<void>(which);
#endif
    return index;
}

void* find_fortran(const char* name) { return find_real(name); }

}  // namespace haichi::profiler
