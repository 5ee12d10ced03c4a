/* fft [SIZE]: the Fourier transform of a cube of SIZE^3 points (SIZE is a power of two) in pencils. Each rank has all
 * points along one axis and a part of the other two. All-to-alls turn the pencils between the three transforms. The
 * first all-to-all is among the ranks of a row of the process grid, and the second among the ranks of a column. The
 * cube contains one plane wave, so its transform is one point. SIZE must be a multiple of both sides of the process
 * grid. */

#include <complex.h>
#include <math.h>

#include "pattern.h"

typedef double complex Value;

static int size;

/* Transforms the values of a line in place (radix 2). The values are `stride` apart. */
static void transform(Value* line) {
    for (int i = 1, j = 0; i < size; ++i) {
        int bit = size / 2;
        for (; j & bit; bit /= 2) j ^= bit;
        j ^= bit;
        if (i < j) {
            const Value kept = line[i];
            line[i] = line[j];
            line[j] = kept;
        }
    }
    for (int length = 2; length <= size; length *= 2) {
        const Value root = cexp(-2 * acos(-1.0) * I / length);
        for (int begin = 0; begin < size; begin += length) {
            Value factor = 1;
            for (int k = begin; k < begin + length / 2; ++k, factor *= root) {
                const Value even = line[k], odd = factor * line[k + length / 2];
                line[k] = even + odd;
                line[k + length / 2] = even - odd;
            }
        }
    }
}

static void transform_all(Value* cube, int lines) {
    MGEN_Comp(5e-9 * lines * size * log2(size));
    for (int i = 0; i < lines; ++i) transform(cube + (size_t)i * size);
}

/* Transposes `from` [a][b][c] into `to` [c][a][b] among the ranks of `comm`. A rank's `from` has all of c and a part of
 * b. Its `to` has all of b and a part of c. */
static void turn(const Value* from, Value* to, int as, MPI_Comm comm) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    const int part = size / ranks, block = as * part * part;
    Value *going = malloc((size_t)ranks * block * sizeof *going),
          *coming = malloc((size_t)ranks * block * sizeof *going);
    for (int to_rank = 0; to_rank < ranks; ++to_rank) {
        for (int c = 0; c < part; ++c) {
            for (int a = 0; a < as; ++a) {
                for (int b = 0; b < part; ++b) {
                    going[(((size_t)to_rank * part + c) * as + a) * part + b] =
                        from[((size_t)a * part + b) * size + to_rank * part + c];
                }
            }
        }
    }
    MPI_Alltoall(going, block, MPI_C_DOUBLE_COMPLEX, coming, block, MPI_C_DOUBLE_COMPLEX, comm);
    for (int of_rank = 0; of_rank < ranks; ++of_rank) {
        for (int c = 0; c < part; ++c) {
            for (int a = 0; a < as; ++a) {
                for (int b = 0; b < part; ++b) {
                    to[((size_t)c * as + a) * size + of_rank * part + b] =
                        coming[(((size_t)of_rank * part + c) * as + a) * part + b];
                }
            }
        }
    }
    free(going);
    free(coming);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    size = argument(argc, argv, 1, 16);
    int rank, ranks, dims[2] = {0, 0}, periods[2] = {0, 0}, place[2];
    MPI_Comm grid, row, column;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, place);
    MPI_Cart_sub(grid, (int[2]){0, 1}, &row);
    MPI_Cart_sub(grid, (int[2]){1, 0}, &column);
    check(size % dims[0] == 0 && size % dims[1] == 0, "SIZE is a multiple of the sides of the process grid");

    /* cube[x][y][z]: x is split among the ranks of a column, and y among those of a row. z is complete. */
    const int xs = size / dims[0], ys = size / dims[1], zs = size / dims[1], lines = xs * ys;
    const int wave[3] = {1 % size, 2 % size, 3 % size};
    Value* cube = malloc((size_t)lines * size * sizeof *cube);
    Value* turned = malloc((size_t)xs * zs * size * sizeof *cube);
    for (int x = 0; x < xs; ++x) {
        for (int y = 0; y < ys; ++y) {
            for (int z = 0; z < size; ++z) {
                const int phase = wave[0] * (place[0] * xs + x) + wave[1] * (place[1] * ys + y) + wave[2] * z;
                cube[((size_t)x * ys + y) * size + z] = cexp(2 * acos(-1.0) * I * phase / size);
            }
        }
    }

    const double begin = begin_together();
    transform_all(cube, lines);
    turn(cube, turned, xs, row); /* result: [z][x][y], where y is complete */
    transform_all(turned, zs * xs);
    turn(turned, cube, zs, column); /* result: [y][z][x], where x is complete */
    const int of_y = size / dims[0];
    transform_all(cube, of_y * zs);
    const double seconds = MPI_Wtime() - begin;

    for (int y = 0; y < of_y; ++y) {
        for (int z = 0; z < zs; ++z) {
            for (int x = 0; x < size; ++x) {
                const int is_peak = x == wave[0] && place[0] * of_y + y == wave[1] && place[1] * zs + z == wave[2];
                const double expected = is_peak ? (double)size * size * size : 0;
                check(cabs(cube[((size_t)y * zs + z) * size + x] - expected) < 1e-6 * size * size * size,
                      "a frequency");
            }
        }
    }
    char what[80];
    snprintf(what, sizeof what, "Fourier transform of %d^3 points on %d x %d ranks", size, dims[0], dims[1]);
    report(what, seconds);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Comm_free(&grid);
    free(cube);
    free(turned);
    MPI_Finalize();
    return 0;
}
