/* bruck [BYTES [messages|put]]: Bruck's all-to-all of blocks of BYTES (4) by puts (Bruck et al. 1997). Step k joins all
 * blocks whose distance has bit k set and sends them to rank + 2^k in one put. The rank then polls for received blocks.
 * Blocks have a size, but no content. The simulated time covers only the exchange. */

#include <mgen.h>
#include <stdlib.h>
#include <string.h>

int MGEN_Main(int argc, char** argv) {
    const int bytes = argc > 1 ? atoi(argv[1]) : 4;
    const int by_put = argc < 3 || strcmp(argv[2], "put") == 0;
    int rank, ranks;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    char *going = calloc(ranks + 1, bytes), *coming = calloc(ranks + 1, bytes);
    for (int step = 0; 1 << step < ranks; ++step) {
        const int to = (rank + (1 << step)) % ranks, from = (rank + ranks - (1 << step)) % ranks;
        int blocks = 0;
        for (int way = 0; way < ranks; ++way) blocks += way >> step & 1;
        if (by_put) {
            MGEN_rdma_put(to, blocks * bytes, step);
            MGEN_rdma_poll(step);
        } else {
            MGEN_Sendrecv(going, blocks * bytes, MPI_BYTE, to, step, coming, blocks * bytes, MPI_BYTE, from, step,
                          MGEN_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
    free(going);
    free(coming);
    return 0;
}
