// Initialisation, clocks, memory and names.

#include <cstdlib>
#include <cstring>
#include <string>

#include <calls_generated.h>
#include "collectives/selection.h"
#include "mgen/abi/mpich/guard.h"
#include "mgen/abi/mpich/mpich_rank.h"
#include "mgen/host/host.h"

namespace haichi::abi::mpich {

int Init(int* /*argc*/, char*** /*argv*/) {
    MpichRank& state = MpichRank::current();
    if (state.process.is_initialized) raise(mpi::ErrorClass::kOther, "MPI has been initialized already");
    state.process.is_initialized = true;
    return MPI_SUCCESS;
}
int Init_thread(int* argc, char*** argv, int required, int* provided) {
    *provided = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    MpichRank::current().thread_level = *provided;
    return Init(argc, argv);
}
int Initialized(int* flag) {
    *flag = MpichRank::current().process.is_initialized;
    return MPI_SUCCESS;
}
int Finalized(int* flag) {
    *flag = MpichRank::current().process.is_finalized;
    return MPI_SUCCESS;
}
int Finalize() {
    MpichRank& state = MpichRank::current();
    if (!state.process.is_initialized || state.process.is_finalized) {
        raise(mpi::ErrorClass::kOther, "MPI is not initialized, or has been finalized already");
    }
    state.end_attributes();
    state.process.is_finalized = true;
    return MPI_SUCCESS;
}
int Query_thread(int* provided) {
    *provided = MpichRank::current().thread_level;
    return MPI_SUCCESS;
}
int Is_thread_main(int* flag) {
    *flag = 1;
    return MPI_SUCCESS;
}
int Abort(MPI_Comm /*comm*/, int code) { host::LiveRank::current()->abort(code); }

double Wtime() { return static_cast<double>(host::LiveRank::current()->now_ps()) * 1e-12; }
double Wtick() { return 1e-12; }

int Get_version(int* version, int* subversion) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}
int Get_library_version(char* version, int* length) {
    // The profiler stores 63 characters of the first line, up to a comma, so that its log states the collective
    // algorithms of the run.
    constexpr std::size_t kMostKept = 63;
    std::string text = "haichi MPICH " MPICH_VERSION " collectives: ";
    const std::string collectives = MpichRank::current().selection->text();
    const bool fits = text.size() + collectives.size() <= kMostKept && collectives.find(',') == std::string::npos;
    text += fits ? collectives : "others";
    text += "\nThe MPI of a simulated machine, with the binary interface of MPICH " MPICH_VERSION;
    std::strcpy(version, text.c_str());
    *length = static_cast<int>(text.size());
    return MPI_SUCCESS;
}
int Get_processor_name(char* name, int* length) {
    // The name contains the node ID, so that ranks on different nodes have different names.
    const std::string text =
        "node" + std::to_string(host::LiveRank::current()->host().node_of(MpichRank::current().process.id()).value);
    std::strcpy(name, text.c_str());
    *length = static_cast<int>(text.size());
    return MPI_SUCCESS;
}
int Pcontrol(int /*level*/) { return MPI_SUCCESS; }

int Alloc_mem(MPI_Aint bytes, MPI_Info /*info*/, void* memory) {
    if (bytes < 0) raise(mpi::ErrorClass::kArgument, "the size " + std::to_string(bytes) + " is negative");
    *static_cast<void**>(memory) = std::malloc(static_cast<std::size_t>(bytes));
    return MPI_SUCCESS;
}
int Free_mem(void* memory) {
    std::free(memory);
    return MPI_SUCCESS;
}

int Comm_rank(MPI_Comm comm, int* rank) {
    *rank = MpichRank::current().comm(comm).membership->rank;
    return MPI_SUCCESS;
}
int Comm_size(MPI_Comm comm, int* size) {
    *size = MpichRank::current().comm(comm).membership->size();
    return MPI_SUCCESS;
}

}  // namespace haichi::abi::mpich
