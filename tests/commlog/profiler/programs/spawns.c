/* Two ranks spawn two more. Each sends 5 messages of 100 bytes to every rank of the other side. */
#include <mpi.h>
#include <stdio.h>

#define MESSAGES 5
#define BYTES 100

int main(int argc, char** argv) {
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    const int is_parent = other == MPI_COMM_NULL;
    if (is_parent)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    char out[BYTES] = {0}, in[BYTES];
    int peers;
    MPI_Comm_remote_size(other, &peers);
    for (int peer = 0; peer < peers; ++peer) {
        for (int i = 0; i < MESSAGES; ++i) {
            MPI_Sendrecv(out, BYTES, MPI_BYTE, peer, 1, in, BYTES, MPI_BYTE, peer, 1, other, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(other);
    MPI_Comm_disconnect(&other);
    if (is_parent) printf("done\n");
    MPI_Finalize();
    return 0;
}
