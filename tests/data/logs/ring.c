#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int r, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    double a[64], b[64], s;
    MPI_Request q[2];
    MPI_Status st;
    for (int i = 0; i < 64; ++i) a[i] = i;
    for (int k = 0; k < 5; ++k) {
        MPI_Irecv(b, 64, MPI_DOUBLE, (r + n - 1) % n, 7, MPI_COMM_WORLD, &q[0]);
        MPI_Isend(a, 64, MPI_DOUBLE, (r + 1) % n, 7, MPI_COMM_WORLD, &q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        MPI_Allreduce(a, &s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (r == 0) MPI_Send(a, 10, MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (r == 1) MPI_Recv(b, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
    MPI_Sendrecv(a, 8, MPI_DOUBLE, r + 1 < n ? r + 1 : MPI_PROC_NULL, 1, b, 8, MPI_DOUBLE,
                 r > 0 ? r - 1 : MPI_PROC_NULL, 1, MPI_COMM_WORLD, &st);
    MPI_Comm c;
    MPI_Comm_split(MPI_COMM_WORLD, r % 2, -r, &c);
    int cr, cn;
    MPI_Comm_rank(c, &cr);
    MPI_Comm_size(c, &cn);
    if (cn > 1) {
        if (cr == 0) MPI_Send(a, 3, MPI_CHAR, 1, 9, c);
        if (cr == 1) MPI_Recv(b, 3, MPI_CHAR, 0, 9, c, &st);
    }
    MPI_Bcast(a, 4, MPI_INT, 1, c);
    MPI_Request ib;
    MPI_Ibarrier(c, &ib);
    MPI_Wait(&ib, MPI_STATUS_IGNORE);
    MPI_Irecv(b, 1, MPI_INT, (r + n - 1) % n, 11, MPI_COMM_WORLD, &q[0]);
    MPI_Send(a, 1, MPI_INT, (r + 1) % n, 11, MPI_COMM_WORLD);
    int f = 0;
    while (!f) MPI_Test(&q[0], &f, &st);
    int cnt[16], dis[16];
    for (int i = 0; i < n; ++i) {
        cnt[i] = i + 1;
        dis[i] = i * 4;
    }
    MPI_Gatherv(a, r + 1, MPI_INT, b, cnt, dis, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD);
    int rc[16];
    for (int i = 0; i < n; ++i) rc[i] = 2;
    MPI_Reduce_scatter(a, b, rc, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
