/* barrier ALGORITHM messages|put [TIMES [BYTES]]: barriers that use messages (MPI_Send, MPI_Recv, MPI_Sendrecv), or
 * puts and polling. The program does nothing else, so the simulated time is the time of TIMES barriers.
 *
 *     haichi mgencc -O2 barrier.c -o barrier
 *     haichi run -m switch:16 -n 16 -- ./barrier recursive-doubling put
 *
 * - dissemination: ceil(log2 ranks) steps. Step k sends to rank + 2^k (Hensgen, Finkel and Manber 1988).
 * - recursive-doubling: log2 steps. Step k exchanges with rank XOR 2^k. Each rank above the largest power of two
 *   has a lower partner. The rank notifies the partner before the first step, and the partner releases it at the end.
 *   This takes two more steps.
 * - ring: ranks - 1 rounds. In each round, all ranks send to the next rank and receive from the previous one.
 *   With puts, the barrier ends when all puts are complete. This is the ring barrier of the NSIM-ACE study. In Open
 *   MPI's ring (`--collectives barrier=double-ring`), a token goes around twice.
 * - tree: notices go up a binary tree to its root, and releases go down again.
 *
 * Each message or put carries BYTES (0 by default). */

#include <mgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_put, bytes;
static char* data;

/* Tags distinguish the steps. In each barrier, a tag has only one sender, so messages of the next barrier may arrive
 * early. */
static void tell(int rank, int step) {
    if (by_put) {
        MGEN_rdma_put(rank, bytes, step);
    } else {
        MGEN_Send(data, bytes, MPI_BYTE, rank, step, MGEN_COMM_WORLD);
    }
}

static void hear(int rank, int step) {
    if (by_put) {
        MGEN_rdma_poll(step);
    } else {
        MGEN_Recv(data, bytes, MPI_BYTE, rank, step, MGEN_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void exchange(int to, int from, int step) {
    if (by_put) {
        tell(to, step);
        hear(from, step);
    } else {
        MGEN_Sendrecv(data, bytes, MPI_BYTE, to, step, data + bytes, bytes, MPI_BYTE, from, step, MGEN_COMM_WORLD,
                      MPI_STATUS_IGNORE);
    }
}

static void dissemination(int rank, int ranks) {
    for (int step = 0; 1 << step < ranks; ++step) {
        exchange((rank + (1 << step)) % ranks, (rank + ranks - (1 << step)) % ranks, step);
    }
}

static void recursive_doubling(int rank, int ranks) {
    enum { COME = 62, GO = 63 };
    int steps = 0;
    while (2 << steps <= ranks) ++steps;
    const int power = 1 << steps;
    if (rank >= power) {
        tell(rank - power, COME);
        hear(rank - power, GO);
        return;
    }
    if (rank + power < ranks) hear(rank + power, COME);
    for (int step = 0; step < steps; ++step) exchange(rank ^ 1 << step, rank ^ 1 << step, step);
    if (rank + power < ranks) tell(rank + power, GO);
}

static void ring(int rank, int ranks) {
    for (int round = 1; round < ranks; ++round) exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks, 0);
    if (by_put) MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
}

static void tree(int rank, int ranks) {
    enum { LEFT_CAME, RIGHT_CAME, GO };
    const int left = 2 * rank + 1, right = left + 1, parent = (rank - 1) / 2;
    if (left < ranks) hear(left, LEFT_CAME);
    if (right < ranks) hear(right, RIGHT_CAME);
    if (rank > 0) {
        tell(parent, rank % 2 == 1 ? LEFT_CAME : RIGHT_CAME);
        hear(parent, GO);
    }
    if (left < ranks) tell(left, GO);
    if (right < ranks) tell(right, GO);
}

static void fail(const char* text) {
    fprintf(stderr, "barrier: %s\n", text);
    exit(2);
}

int MGEN_Main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(int rank, int ranks);
    } algorithms[] = {
        {"dissemination", dissemination}, {"recursive-doubling", recursive_doubling}, {"ring", ring}, {"tree", tree}};
    const int count = sizeof algorithms / sizeof *algorithms;
    int rank, ranks, chosen = 0;
    if (argc < 3) fail("an algorithm, and messages or put");
    while (chosen < count && strcmp(algorithms[chosen].name, argv[1]) != 0) ++chosen;
    if (chosen == count) fail("the algorithm is dissemination, recursive-doubling, ring or tree");
    by_put = strcmp(argv[2], "put") == 0;
    if (!by_put && strcmp(argv[2], "messages") != 0) fail("a barrier is made of messages or of put");
    const int times = argc > 3 ? atoi(argv[3]) : 1;
    bytes = argc > 4 ? atoi(argv[4]) : 0;
    if (times < 0 || bytes < 0) fail("times and bytes are not negative");
    data = calloc(2, bytes + 1);
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    for (int i = 0; i < times; ++i) algorithms[chosen].run(rank, ranks);
    free(data);
    return 0;
}
