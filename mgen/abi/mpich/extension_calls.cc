// MPICH's MPIX_ functions. MPICH's Fortran library needs these symbols.

#include "mgen/abi/mpich/guard.h"

using namespace haichi::abi::mpich;

// The simulated machine has no GPUs.
EXPORTED int PMPIX_GPU_query_support(int /*kind*/, int* is_supported) {
    *is_supported = 0;
    return MPI_SUCCESS;
}
EXPORTED_WEAK("PMPIX_GPU_query_support") int MPIX_GPU_query_support(int kind, int* is_supported);
EXPORTED int PMPIX_Query_cuda_support() { return 0; }
EXPORTED_WEAK("PMPIX_Query_cuda_support") int MPIX_Query_cuda_support();
EXPORTED int PMPIX_Query_hip_support() { return 0; }
EXPORTED_WEAK("PMPIX_Query_hip_support") int MPIX_Query_hip_support();
EXPORTED int PMPIX_Query_ze_support() { return 0; }
EXPORTED_WEAK("PMPIX_Query_ze_support") int MPIX_Query_ze_support();

// Ranks never fail on the simulated machine, so fault tolerance is not supported.
EXPORTED int PMPIX_Comm_revoke(MPI_Comm /*comm*/) { refuse("MPIX_Comm_revoke"); }
EXPORTED_WEAK("PMPIX_Comm_revoke") int MPIX_Comm_revoke(MPI_Comm comm);
EXPORTED int PMPIX_Comm_shrink(MPI_Comm /*comm*/, MPI_Comm* /*made*/) { refuse("MPIX_Comm_shrink"); }
EXPORTED_WEAK("PMPIX_Comm_shrink") int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* made);
EXPORTED int PMPIX_Comm_failure_ack(MPI_Comm /*comm*/) { refuse("MPIX_Comm_failure_ack"); }
EXPORTED_WEAK("PMPIX_Comm_failure_ack") int MPIX_Comm_failure_ack(MPI_Comm comm);
EXPORTED int PMPIX_Comm_failure_get_acked(MPI_Comm /*comm*/, MPI_Group* /*group*/) {
    refuse("MPIX_Comm_failure_get_acked");
}
EXPORTED_WEAK("PMPIX_Comm_failure_get_acked") int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* group);
EXPORTED int PMPIX_Comm_agree(MPI_Comm /*comm*/, int* /*flag*/) { refuse("MPIX_Comm_agree"); }
EXPORTED_WEAK("PMPIX_Comm_agree") int MPIX_Comm_agree(MPI_Comm comm, int* flag);
