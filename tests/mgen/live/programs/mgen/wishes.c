// wishes BYTES PROTOCOL ZERO_COPY NIC GAP_NS: rank 0 sends one message with these options and prints the duration of
// its call and of the transfer. The receive starts 100 us late, which makes the protocol visible. A second message is
// sent without options.
#include <mgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int MGEN_Main(int argc, char** argv) {
    const int bytes = atoi(argv[1]);
    MGEN_Send_options options = MGEN_SEND_DEFAULTS;
    if (argc > 2) options.protocol = atoi(argv[2]);
    if (argc > 3) options.zero_copy = atoi(argv[3]);
    if (argc > 4) options.nic = atoi(argv[4]);
    if (argc > 5) options.gap_seconds = atof(argv[5]) * 1e-9;
    int rank;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    char* buffer = malloc(bytes + 1);
    memset(buffer, 'a' + rank, bytes);
    for (int turn = 0; turn < 2; ++turn) {
        MGEN_Barrier(MGEN_COMM_WORLD);
        const double begin = MGEN_Wtime();
        if (rank == 0) {
            MGEN_Send_options to_none = {MGEN_RENDEZVOUS, 0, -1, 0.0};
            // Options of a message to MGEN_PROC_NULL do not apply to the next message.
            MGEN_Send_with(buffer, bytes, MGEN_CHAR, MGEN_PROC_NULL, 0, MGEN_COMM_WORLD, &to_none);
            if (turn == 0) {
                MGEN_Send_with(buffer, bytes, MGEN_CHAR, 1, 0, MGEN_COMM_WORLD, &options);  // wishes.c: here
            } else {
                MGEN_Request request;
                MGEN_Isend_with(buffer, bytes, MGEN_CHAR, 1, 0, MGEN_COMM_WORLD, NULL, &request);
                MGEN_Wait(&request, MGEN_STATUS_IGNORE);
            }
            printf("send %d: %.0f ns\n", turn, (MGEN_Wtime() - begin) * 1e9);
        } else if (rank == 1) {
            MGEN_Comp(100e-6);
            MGEN_Recv(buffer, bytes, MGEN_CHAR, 0, 0, MGEN_COMM_WORLD, MGEN_STATUS_IGNORE);
            printf("receive %d: %.0f ns, %c\n", turn, (MGEN_Wtime() - begin) * 1e9,
                   bytes > 0 ? buffer[bytes - 1] : 'a');
        }
    }
    free(buffer);
    return 0;
}
