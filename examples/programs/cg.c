/* cg [ROWS]: conjugate gradients for the one-dimensional Laplacian, with ROWS unknowns per rank. An iteration has the
 * communication of most solvers. The matrix needs a halo of one value from each neighbour, and the dot products need
 * two all-reduces. */

#include <math.h>

#include "pattern.h"

static int rows, left, right;

/* y = A x, where A is tridiagonal with (-1, 2, -1). At each end, x has a halo entry for the value of a neighbour. */
static void multiply(double* x, double* y) {
    MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 0, &x[rows + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[rows], 1, MPI_DOUBLE, right, 1, &x[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MGEN_Comp(2e-9 * rows);
    for (int i = 1; i <= rows; ++i) y[i] = 2 * x[i] - x[i - 1] - x[i + 1];
}

static double dot(const double* x, const double* y) {
    double mine = 0, sum;
    MGEN_Comp(1e-9 * rows);
    for (int i = 1; i <= rows; ++i) mine += x[i] * y[i];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    rows = argument(argc, argv, 1, 16);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    const int unknowns = rows * ranks;
    double *x = calloc(rows + 2, sizeof *x), *r = calloc(rows + 2, sizeof *x);
    double *p = calloc(rows + 2, sizeof *x), *q = calloc(rows + 2, sizeof *x);
    /* The solution is x = 1, 2, 3, ..., so the right-hand side is 0 except at the end. */
    if (rank == ranks - 1) r[rows] = p[rows] = unknowns + 1;

    const double begin = begin_together();
    int iterations = 0;
    double before = dot(r, r);
    const double first = before;
    /* In exact arithmetic, the number of iterations is at most the number of unknowns. */
    while (before > 1e-24 * first && iterations < 2 * unknowns) {
        multiply(p, q);
        const double alpha = before / dot(p, q);
        for (int i = 1; i <= rows; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double now = dot(r, r);
        for (int i = 1; i <= rows; ++i) p[i] = r[i] + now / before * p[i];
        before = now;
        ++iterations;
    }
    const double seconds = MPI_Wtime() - begin;

    for (int i = 1; i <= rows; ++i) check(fabs(x[i] - (rank * rows + i)) < 1e-6 * unknowns, "the solution");
    char what[80];
    snprintf(what, sizeof what, "conjugate gradients, %d unknowns on %d ranks", unknowns, ranks);
    report(what, seconds);
    free(x);
    free(r);
    free(p);
    free(q);
    MPI_Finalize();
    return 0;
}
