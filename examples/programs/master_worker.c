/* master_worker [TASKS]: rank 0 assigns the pieces of an integral to the workers that request them (MPI_ANY_SOURCE).
 * The pieces take different times. The assignment of pieces depends on the machine, but the result, pi, does not. */

#include <math.h>

#include "pattern.h"

enum { kResult = 1, kTask = 2, kEnd = 3 };
enum { kSteps = 1000 };

/* Integrates 4 / (1 + x^2) over piece `task` of the interval from 0 to 1. */
static double work(int task, int tasks) {
    const double width = 1.0 / tasks, step = width / kSteps;
    double sum = 0;
    MGEN_Comp(1e-6 * (1 + task % 7));
    for (int i = 0; i < kSteps; ++i) {
        const double x = task * width + (i + 0.5) * step;
        sum += 4 / (1 + x * x);
    }
    return sum * step;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int tasks = argument(argc, argv, 1, 100);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(ranks > 1, "there is a worker");
    double sum = 0;
    int done = 0;
    const double begin = begin_together();
    if (rank == 0) {
        int given = 0, answered = 0;
        for (int working = ranks - 1; working > 0;) {
            double result;
            MPI_Status status;
            /* The first message of a worker requests its first task. */
            MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status);
            sum += result;
            if (++answered > ranks - 1) ++done;
            if (given < tasks) {
                MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, kTask, MPI_COMM_WORLD);
                ++given;
            } else {
                MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, kEnd, MPI_COMM_WORLD);
                --working;
            }
        }
    } else {
        double result = 0;
        for (;;) {
            int task;
            MPI_Status status;
            MPI_Send(&result, 1, MPI_DOUBLE, 0, kResult, MPI_COMM_WORLD);
            MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == kEnd) break;
            result = work(task, tasks);
            ++done;
        }
    }
    const double seconds = MPI_Wtime() - begin;

    int all = 0;
    MPI_Reduce(&done, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        check(all == 2 * tasks, "each task is done once and its result has come");
        check(fabs(sum - acos(-1.0)) < 1e-6, "pi");
    }
    char what[80];
    snprintf(what, sizeof what, "%d tasks for %d workers", tasks, ranks - 1);
    report(what, seconds);
    MPI_Finalize();
    return 0;
}
