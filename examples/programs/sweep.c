/* sweep [CELLS [PLANES]]: a wavefront over a grid of ranks, as in discrete ordinates (Sweep3D, Kripke). A rank waits
 * for the edges of its upper and left neighbours. It then computes a plane of CELLS x CELLS, and sends its own edges to
 * the next ranks. The PLANES follow each other as in a pipeline. Each cell is the sum, modulo a prime, of the cells
 * above and to the left, which gives Pascal's triangle. */

#include "pattern.h"

enum { kPrime = 1000003 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int cells = argument(argc, argv, 1, 8);
    const int planes = argument(argc, argv, 2, 4);
    int ranks, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, place[2], up, down, left, right;
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, place);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    int *above = malloc(cells * sizeof *above), *beside = malloc(cells * sizeof *above);

    const double begin = begin_together();
    for (int plane = 0; plane < planes; ++plane) {
        /* Ranks at the edge receive nothing and start with rows and columns of ones. */
        for (int i = 0; i < cells; ++i) above[i] = beside[i] = plane + 1;
        MPI_Recv(above, cells, MPI_INT, up, plane, grid, MPI_STATUS_IGNORE);
        MPI_Recv(beside, cells, MPI_INT, left, plane, grid, MPI_STATUS_IGNORE);
        MGEN_Comp(2e-9 * cells * cells);
        for (int i = 0; i < cells; ++i) {
            int before = beside[i];
            for (int j = 0; j < cells; ++j) {
                const int is_first = place[0] + i == 0 || place[1] + j == 0;
                above[j] = before = is_first ? plane + 1 : (above[j] + before) % kPrime;
            }
            beside[i] = before;
        }
        MPI_Send(above, cells, MPI_INT, down, plane, grid);
        MPI_Send(beside, cells, MPI_INT, right, plane, grid);
    }
    const double seconds = MPI_Wtime() - begin;

    if (place[0] == dims[0] - 1 && place[1] == dims[1] - 1) { /* this rank has the last cell */
        const int rows = dims[0] * cells, columns = dims[1] * cells;
        int* row = malloc(columns * sizeof *row);
        for (int j = 0; j < columns; ++j) row[j] = planes % kPrime;
        for (int i = 1; i < rows; ++i) {
            for (int j = 1; j < columns; ++j) row[j] = (row[j] + row[j - 1]) % kPrime;
        }
        check(above[cells - 1] == row[columns - 1], "the last cell");
        free(row);
    }
    char what[80];
    snprintf(what, sizeof what, "sweep over %d x %d ranks, %d planes", dims[0], dims[1], planes);
    report(what, seconds);
    free(above);
    free(beside);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
