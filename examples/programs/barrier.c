/* barrier [dissemination|recursive-doubling|ring|tree|library [TIMES]]: barriers that consist of messages without data.
 *
 * - dissemination: ceil(log2 ranks) steps. Step k sends to rank + 2^k (Hensgen, Finkel and Manber 1988).
 * - recursive-doubling: log2 steps. Step k exchanges with rank XOR 2^k. Each rank above the largest power of two
 *   has a lower partner. The rank notifies the partner before the first step, and the partner releases it at the end.
 * - ring: ranks - 1 rounds. In each round, all ranks send to the next rank and receive from the previous one.
 * - tree: notices go up a binary tree to its root, and releases go down again. */

#include "pattern.h"

static void tell(int rank) { MPI_Send(NULL, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD); }
static void hear(int rank) { MPI_Recv(NULL, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static void exchange(int to, int from) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, to, 0, NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void dissemination(int rank, int ranks) {
    for (int step = 1; step < ranks; step *= 2) exchange((rank + step) % ranks, (rank + ranks - step) % ranks);
}

static void recursive_doubling(int rank, int ranks) {
    int power = 1;
    while (2 * power <= ranks) power *= 2;
    if (rank >= power) {
        tell(rank - power);
        hear(rank - power);
        return;
    }
    if (rank + power < ranks) hear(rank + power);
    for (int step = 1; step < power; step *= 2) exchange(rank ^ step, rank ^ step);
    if (rank + power < ranks) tell(rank + power);
}

static void ring(int rank, int ranks) {
    for (int round = 1; round < ranks; ++round) exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks);
}

static void tree(int rank, int ranks) {
    const int left = 2 * rank + 1, right = left + 1, parent = (rank - 1) / 2;
    if (left < ranks) hear(left);
    if (right < ranks) hear(right);
    if (rank > 0) {
        tell(parent);
        hear(parent);
    }
    if (left < ranks) tell(left);
    if (right < ranks) tell(right);
}

static void library(int rank, int ranks) {
    (void)rank;
    (void)ranks;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    static const struct {
        const char* name;
        void (*run)(int rank, int ranks);
    } algorithms[] = {{"dissemination", dissemination},
                      {"recursive-doubling", recursive_doubling},
                      {"ring", ring},
                      {"tree", tree},
                      {"library", library}};
    const char* name = argc > 1 ? argv[1] : "dissemination";
    const int times = argument(argc, argv, 2, 1);
    int rank, ranks, chosen = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (chosen < 5 && strcmp(algorithms[chosen].name, name) != 0) ++chosen;
    check(chosen < 5, "the algorithm is dissemination, recursive-doubling, ring, tree or library");

    /* Checks that no rank leaves before the last one has arrived. The check requires that all ranks share one clock. */
    int *is_global, has_clock;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &is_global, &has_clock);
    MGEN_Comp(1e-6 * (rank % 3));
    double came = MPI_Wtime(), left, last_came, first_left;
    algorithms[chosen].run(rank, ranks);
    left = MPI_Wtime();
    MPI_Allreduce(&came, &last_came, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first_left, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (has_clock && *is_global) check(first_left >= last_came, "nobody leaves before the last has come");

    const double begin = begin_together();
    for (int i = 0; i < times; ++i) algorithms[chosen].run(rank, ranks);
    char what[80];
    snprintf(what, sizeof what, "%s barrier of %d ranks", name, ranks);
    report(what, (MPI_Wtime() - begin) / times);
    MPI_Finalize();
    return 0;
}
