/* Writes the coordinate table of a job on a Fujitsu machine, for haichi's option --fold FILE. Each line of the table
 * has the logical coordinates of a node, and its Tofu coordinates relative to the job:
 *
 *     (0,0,0) -> 0 0 0 0 0 0
 *
 *     mpiexec ./fjmpi_coordinates [FILE]
 *
 * Every node of the job needs at least one rank. README.md explains how to compile and run the program. */

#include <mpi-ext.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLogicalAxes = 3, kTofuAxes = 6 };

/* The coordinates of a rank's node. MPI sends the struct as an array of integers. */
struct node_row {
    int is_known; /* whether the calls of FJMPI succeeded */
    int logical[kLogicalAxes];
    int tofu[kTofuAxes];
};
enum { kRowInts = 1 + kLogicalAxes + kTofuAxes };

static int is_success(int code) { return code == FJMPI_SUCCESS; }

static void ask_coordinates(int rank, int dimensions, struct node_row* row) {
    memset(row, 0, sizeof *row);
#ifdef OLD_FJMPI_TOPOLOGY /* language environments of K and FX10 without FJMPI_Topology_get_coords */
    int* const l = row->logical;
    int* const t = row->tofu;
    const int code = dimensions == 1   ? FJMPI_Topology_rank2x(rank, &l[0])
                     : dimensions == 2 ? FJMPI_Topology_rank2xy(rank, &l[0], &l[1])
                                       : FJMPI_Topology_rank2xyz(rank, &l[0], &l[1], &l[2]);
    row->is_known =
        is_success(code) && is_success(FJMPI_Topology_rel_rank2xyzabc(rank, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5]));
#else
    row->is_known =
        is_success(FJMPI_Topology_get_coords(MPI_COMM_WORLD, rank, FJMPI_LOGICAL, dimensions, row->logical)) &&
        is_success(FJMPI_Topology_get_coords(MPI_COMM_WORLD, rank, FJMPI_TOFU_REL, kTofuAxes, row->tofu));
#endif
}

/* Compares logical coordinates. The x coordinate varies fastest, as in the numbering of the ranks. */
static int by_logical(const void* left, const void* right) {
    const struct node_row* a = left;
    const struct node_row* b = right;
    for (int k = kLogicalAxes - 1; k >= 0; --k) {
        if (a->logical[k] != b->logical[k]) return a->logical[k] < b->logical[k] ? -1 : 1;
    }
    return 0;
}

/* Sorts the rows and keeps one row per node. Returns the number of nodes, or -1 if rows contradict each other. */
static int unite_rows(struct node_row* rows, int ranks) {
    for (int r = 0; r < ranks; ++r) {
        if (!rows[r].is_known) {
            fprintf(stderr, "error: rank %d cannot ask for its coordinates\n", r);
            return -1;
        }
    }
    qsort(rows, (size_t)ranks, sizeof *rows, by_logical);
    int nodes = 0;
    for (int r = 0; r < ranks; ++r) {
        if (nodes > 0 && by_logical(&rows[nodes - 1], &rows[r]) == 0) { /* another rank of the same node */
            if (memcmp(rows[nodes - 1].tofu, rows[r].tofu, sizeof rows[r].tofu) != 0) {
                fprintf(stderr, "error: ranks with the logical coordinates (%d,%d,%d) are on several nodes\n",
                        rows[r].logical[0], rows[r].logical[1], rows[r].logical[2]);
                return -1;
            }
            continue;
        }
        rows[nodes++] = rows[r];
    }
    return nodes;
}

static void print_rows(FILE* file, const struct node_row* rows, int nodes, int dimensions) {
    fprintf(file, "# logical coordinates -> X Y Z A B C relative to the job\n");
    for (int n = 0; n < nodes; ++n) {
        for (int k = 0; k < dimensions; ++k) fprintf(file, "%c%d", k == 0 ? '(' : ',', rows[n].logical[k]);
        fprintf(file, ") ->");
        for (int k = 0; k < kTofuAxes; ++k) fprintf(file, " %d", rows[n].tofu[k]);
        fprintf(file, "\n");
    }
}

/* Writes either the complete file or none. Returns 0 on success. */
static int write_table(const char* path, const struct node_row* rows, int nodes, int dimensions) {
    char temporary[4096];
    const int length = snprintf(temporary, sizeof temporary, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        fprintf(stderr, "error: the name %s is too long\n", path);
        return 1;
    }
    FILE* file = fopen(temporary, "w");
    if (file == NULL) {
        perror(temporary);
        return 1;
    }
    print_rows(file, rows, nodes, dimensions);
    const int is_bad = ferror(file);
    if (fclose(file) != 0 || is_bad || rename(temporary, path) != 0) {
        perror(path);
        remove(temporary);
        return 1;
    }
    return 0;
}

/* Prints the size of the job along each axis, for the options of haichi. */
static void print_shape(const char* path, const struct node_row* rows, int nodes) {
    int sizes[kTofuAxes] = {0};
    for (int n = 0; n < nodes; ++n) {
        for (int k = 0; k < kTofuAxes; ++k) {
            if (rows[n].tofu[k] >= sizes[k]) sizes[k] = rows[n].tofu[k] + 1;
        }
    }
    printf("%d nodes: --shape %dx%dx%dx%dx%dx%d --fold %s\n", nodes, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4],
           sizes[5], path);
}

static int finish_on_root(struct node_row* rows, int ranks, int dimensions, const char* path) {
    int x = 1, y = 1, z = 1;
    if (!is_success(FJMPI_Topology_get_shape(&x, &y, &z))) {
        fprintf(stderr, "error: the job has no shape\n");
        return 1;
    }
    const int expected = x * (dimensions > 1 ? y : 1) * (dimensions > 2 ? z : 1);
    const int nodes = unite_rows(rows, ranks);
    if (nodes < 0) return 1;
    if (nodes != expected) {
        fprintf(stderr, "error: %d of %d nodes have a rank; start at least one on every node\n", nodes, expected);
        return 1;
    }
    if (write_table(path, rows, nodes, dimensions) != 0) return 1;
    print_shape(path, rows, nodes);
    return 0;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    int dimensions = 0;
    struct node_row row;
    memset(&row, 0, sizeof row);
    if (is_success(FJMPI_Topology_get_dimension(&dimensions)) && dimensions >= 1 && dimensions <= kLogicalAxes) {
        ask_coordinates(rank, dimensions, &row);
    }

    struct node_row* rows = NULL;
    if (rank == 0) {
        rows = malloc((size_t)ranks * sizeof *rows);
        if (rows == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Gather(&row, kRowInts, MPI_INT, rows, kRowInts, MPI_INT, 0, MPI_COMM_WORLD);
    int code = 0;
    if (rank == 0) code = finish_on_root(rows, ranks, dimensions, argc > 1 ? argv[1] : "coordinates.txt");
    free(rows);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}
