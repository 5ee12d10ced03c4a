/* Calls from known lines, on known communicators, in named regions, and one-sided operations of known sizes. Rank 0 is
 * 30 ms late at each of four barriers. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int rank, ranks;

__attribute__((noinline)) static void exchange(MPI_Comm comm, int bytes) {
    char out[1000] = {0}, in[1000];
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Status status;
    MPI_Sendrecv(out, bytes, MPI_BYTE, right, 0, in, bytes, MPI_BYTE, left, 0, comm, &status); /* site: exchange */
}

__attribute__((noinline)) static void late_barriers(void) {
    for (int i = 0; i < 4; ++i) {
        if (rank == 0) usleep(30000);
        MPI_Barrier(MPI_COMM_WORLD); /* site: late_barriers */
    }
}

__attribute__((noinline)) static void post_and_wait(void) {
    int out = rank, in;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &request); /* site: post_and_wait */
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void one_sided(void) {
    double memory[64] = {0}, other[64] = {0}, one = 1, was;
    MPI_Win window;
    const int target = (rank + 1) % ranks;
    MPI_Win_create(memory, sizeof(memory), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(other, 8, MPI_DOUBLE, target, 0, 8, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Get(other, 16, MPI_DOUBLE, target, 0, 16, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(other, 4, MPI_DOUBLE, target, 32, 4, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Fetch_and_op(&one, &was, MPI_DOUBLE, target, 40, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Put(other, 8, MPI_DOUBLE, MPI_PROC_NULL, 0, 8, MPI_DOUBLE, window);
    MPI_Win_free(&window);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 10; ++i) exchange(MPI_COMM_WORLD, 100);
    MPI_Pcontrol(1, "outer");
    for (int i = 0; i < 5; ++i) {
        MPI_Pcontrol(1, "inner part");
        exchange(copy, 1000);
        MPI_Pcontrol(-1, "inner part");
    }
    post_and_wait();
    MPI_Pcontrol(-1, "outer");
    MPI_Pcontrol(-1, "outer"); /* the region was left before */
    MPI_Pcontrol(0);
    exchange(MPI_COMM_WORLD, 1);
    MPI_Pcontrol(1, "not entered: it goes on");
    late_barriers();
    one_sided();
    MPI_Comm_free(&copy);
    MPI_Pcontrol(1, "open at the end");
    if (rank == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
