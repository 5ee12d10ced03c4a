/* own_streams DIRECTORY: ranks replace their standard descriptors and streams in different ways. Rank 0 keeps its own
   standard output. All ranks read DIRECTORY/numbers. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "tests/mgen/live/programs/require.h"

static void replace_output(int rank, const char* path) {
    int file;
    switch (rank) {
        case 1:
            require(freopen(path, "w", stdout) == stdout);
            break;
        case 2:
            file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
            require(dup2(file, 1) == 1 && close(file) == 0);
            break;
        case 3:
            fflush(stdout);
            close(1);
            require(open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644) == 1);
            break;
        case 4:
            require(fclose(stdout) == 0);
            break;
        case 5:
            close(1);
            break;
        case 6:
            require(freopen("/missing/folder", "w", stdout) == NULL && errno == ENOENT);
            break;
        case 7:
            require(freopen(path, "w", stderr) == stderr);
            break;
        default:
            break;
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char path[4096];
    snprintf(path, sizeof path, "%s/out.%d", argv[1], rank);
    printf("rank %d before\n", rank);
    replace_output(rank, path);
    for (int round = 1; round <= 2; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        printf("rank %d round %d\n", rank, round);
        if (rank == 7) fprintf(stderr, "error of rank %d\n", rank);
    }
    /* Each rank reads the file from the beginning, although its stream has buffered all of it. */
    snprintf(path, sizeof path, "%s/numbers", argv[1]);
    require(freopen(path, "r", stdin) != NULL);
    for (int i = 1; i <= 3; ++i) {
        int number = 0;
        require(scanf("%d", &number) == 1 && number == i);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    int pids[64];
    const int pid = getpid();
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) {
        require((pids[i] == pid) == (i == rank));
        require(kill(pids[i], 0) == 0);
    }
    MPI_Finalize();
    return 0;
}
