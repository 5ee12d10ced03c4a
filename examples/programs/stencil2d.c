/* stencil2d [POINTS [SWEEPS]]: Jacobi sweeps of the five-point stencil on a square. Each rank of a Cartesian grid has a
 * piece of POINTS x POINTS. Each sweep fills the halo of a piece from its four neighbours. Rows are contiguous, and
 * columns use a vector type. The initial values are a harmonic function, which a sweep does not change. */

#include "pattern.h"

#define AT(u, i, j) u[(size_t)(i) * (points + 2) + (j)]

static double harmonic(double x, double y) { return 1 + 2 * x - 3 * y + x * y; }

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int points = argument(argc, argv, 1, 32);
    const int sweeps = argument(argc, argv, 2, 10);
    int ranks, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, place[2], up, down, left, right;
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, place);
    MPI_Cart_shift(grid, 0, 1, &up, &down); /* MPI_PROC_NULL at the edge; the halo then has boundary values */
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Datatype column;
    MPI_Type_vector(points, 1, points + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    double *u = calloc((size_t)(points + 2) * (points + 2), sizeof *u),
           *next = calloc((size_t)(points + 2) * (points + 2), sizeof *u);
    const double step = 1.0 / points;
    for (int i = 0; i < points + 2; ++i) {
        for (int j = 0; j < points + 2; ++j) {
            const double value = harmonic((place[0] * points + i) * step, (place[1] * points + j) * step);
            /* Neighbours fill these halos in each sweep, so they start as zero. */
            const int is_halo = (i == 0 && up != MPI_PROC_NULL) || (i == points + 1 && down != MPI_PROC_NULL) ||
                                (j == 0 && left != MPI_PROC_NULL) || (j == points + 1 && right != MPI_PROC_NULL);
            AT(u, i, j) = AT(next, i, j) = is_halo ? 0 : value;
        }
    }

    const double begin = begin_together();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        MPI_Request requests[8];
        MPI_Irecv(&AT(u, 0, 1), points, MPI_DOUBLE, up, 0, grid, &requests[0]);
        MPI_Irecv(&AT(u, points + 1, 1), points, MPI_DOUBLE, down, 1, grid, &requests[1]);
        MPI_Irecv(&AT(u, 1, 0), 1, column, left, 2, grid, &requests[2]);
        MPI_Irecv(&AT(u, 1, points + 1), 1, column, right, 3, grid, &requests[3]);
        MPI_Isend(&AT(u, points, 1), points, MPI_DOUBLE, down, 0, grid, &requests[4]);
        MPI_Isend(&AT(u, 1, 1), points, MPI_DOUBLE, up, 1, grid, &requests[5]);
        MPI_Isend(&AT(u, 1, points), 1, column, right, 2, grid, &requests[6]);
        MPI_Isend(&AT(u, 1, 1), 1, column, left, 3, grid, &requests[7]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        MGEN_Comp(1e-9 * points * points);
        for (int i = 1; i <= points; ++i) {
            for (int j = 1; j <= points; ++j) {
                AT(next, i, j) = 0.25 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) + AT(u, i, j + 1));
            }
        }
        double* kept = u;
        u = next;
        next = kept;
    }
    const double seconds = MPI_Wtime() - begin;

    for (int i = 1; i <= points; ++i) {
        for (int j = 1; j <= points; ++j) {
            const double error = AT(u, i, j) - harmonic((place[0] * points + i) * step, (place[1] * points + j) * step);
            check(error < 1e-9 && error > -1e-9, "a point");
        }
    }
    char what[80];
    snprintf(what, sizeof what, "5-point stencil on %d x %d ranks, %d sweeps", dims[0], dims[1], sweeps);
    report(what, seconds);
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    free(u);
    free(next);
    MPI_Finalize();
    return 0;
}
