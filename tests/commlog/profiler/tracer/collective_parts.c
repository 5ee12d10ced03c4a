#include "tests/commlog/profiler/tracer/tracer.h"

int peers_of(MPI_Comm comm) {
    int is_intercommunicator, n;
    PMPI_Comm_test_inter(comm, &is_intercommunicator);
    if (is_intercommunicator) {
        PMPI_Comm_remote_size(comm, &n);
    } else {
        PMPI_Comm_size(comm, &n);
    }
    return n;
}

int rank_in(MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

int is_root(int root, MPI_Comm comm) {
    int is_intercommunicator;
    PMPI_Comm_test_inter(comm, &is_intercommunicator);
    return is_intercommunicator ? root == MPI_ROOT : root == rank_in(comm);
}

Count sum(const int counts[], int n) {
    Count total = 0;
    for (int i = 0; i < n; ++i) total += (Count)counts[i];
    return total;
}
