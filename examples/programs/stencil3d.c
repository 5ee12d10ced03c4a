/* stencil3d [POINTS [SWEEPS]]: Jacobi sweeps of the seven-point stencil on a periodic cube. Each rank of a Cartesian
 * grid has a piece of POINTS^3. The six faces of a piece are copied into buffers, exchanged by persistent
 * requests, and copied to the halo. The initial values are a product of waves, which each sweep multiplies by a
 * constant. */

#include <math.h>

#include "pattern.h"

#define AT(u, i, j, k) u[((size_t)(i) * (points + 2) + (j)) * (points + 2) + (k)]

static int points;

/* Copies the face at position `layer` of `axis` from u to `face`, or from `face` to u. */
static void copy_face(double* u, double* face, int axis, int layer, int is_out) {
    for (int a = 1; a <= points; ++a) {
        for (int b = 1; b <= points; ++b) {
            double* at = axis == 0 ? &AT(u, layer, a, b) : axis == 1 ? &AT(u, a, layer, b) : &AT(u, a, b, layer);
            double* in_face = &face[(a - 1) * points + (b - 1)];
            if (is_out) {
                *in_face = *at;
            } else {
                *at = *in_face;
            }
        }
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    points = argument(argc, argv, 1, 8);
    const int sweeps = argument(argc, argv, 2, 5);
    int ranks, rank, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, place[3];
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 3, place);

    const size_t volume = (size_t)(points + 2) * (points + 2) * (points + 2);
    const int face = points * points;
    double *u = calloc(volume, sizeof *u), *next = calloc(volume, sizeof *u);
    double *going = malloc(6 * face * sizeof *u), *coming = malloc(6 * face * sizeof *u);
    const double pi = acos(-1.0);
    double wave[3];
    for (int axis = 0; axis < 3; ++axis) wave[axis] = 2 * pi / (dims[axis] * points);
    for (int i = 1; i <= points; ++i) {
        for (int j = 1; j <= points; ++j) {
            for (int k = 1; k <= points; ++k) {
                AT(u, i, j, k) = cos(wave[0] * (place[0] * points + i)) * cos(wave[1] * (place[1] * points + j)) *
                                 cos(wave[2] * (place[2] * points + k));
            }
        }
    }
    const double factor = (cos(wave[0]) + cos(wave[1]) + cos(wave[2])) / 3;

    /* Side 2 * axis is the one towards lower coordinates. Its halo comes from the upper side of the neighbour. */
    MPI_Request requests[12];
    for (int axis = 0; axis < 3; ++axis) {
        int lower, upper;
        MPI_Cart_shift(grid, axis, 1, &lower, &upper);
        for (int side = 0; side < 2; ++side) {
            const int number = 2 * axis + side, partner = side == 0 ? lower : upper;
            MPI_Recv_init(coming + number * face, face, MPI_DOUBLE, partner, 2 * axis + 1 - side, grid,
                          &requests[number]);
            MPI_Send_init(going + number * face, face, MPI_DOUBLE, partner, number, grid, &requests[6 + number]);
        }
    }
    const double begin = begin_together();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int side = 0; side < 6; ++side) {
            copy_face(u, going + side * face, side / 2, side % 2 == 0 ? 1 : points, 1);
        }
        MPI_Startall(12, requests);
        MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
        for (int side = 0; side < 6; ++side) {
            copy_face(u, coming + side * face, side / 2, side % 2 == 0 ? 0 : points + 1, 0);
        }
        MGEN_Comp(1e-9 * points * points * points);
        for (int i = 1; i <= points; ++i) {
            for (int j = 1; j <= points; ++j) {
                for (int k = 1; k <= points; ++k) {
                    AT(next, i, j, k) = (AT(u, i - 1, j, k) + AT(u, i + 1, j, k) + AT(u, i, j - 1, k) +
                                         AT(u, i, j + 1, k) + AT(u, i, j, k - 1) + AT(u, i, j, k + 1)) /
                                        6;
                }
            }
        }
        double* kept = u;
        u = next;
        next = kept;
    }
    const double seconds = MPI_Wtime() - begin;

    const double amplitude = pow(factor, sweeps);
    for (int i = 1; i <= points; ++i) {
        for (int j = 1; j <= points; ++j) {
            for (int k = 1; k <= points; ++k) {
                const double expected = amplitude * cos(wave[0] * (place[0] * points + i)) *
                                        cos(wave[1] * (place[1] * points + j)) * cos(wave[2] * (place[2] * points + k));
                check(fabs(AT(u, i, j, k) - expected) < 1e-9, "a point");
            }
        }
    }
    char what[80];
    snprintf(what, sizeof what, "7-point stencil on %d x %d x %d ranks, %d sweeps", dims[0], dims[1], dims[2], sweeps);
    report(what, seconds);
    for (int i = 0; i < 12; ++i) MPI_Request_free(&requests[i]);
    MPI_Comm_free(&grid);
    free(u);
    free(next);
    free(going);
    free(coming);
    MPI_Finalize();
    return 0;
}
