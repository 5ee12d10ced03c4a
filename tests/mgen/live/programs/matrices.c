/* Reductions by a matrix product, which does not commute; each result is compared with a computation by one rank. */

#include <stdlib.h>
#include <string.h>

#include "tests/mgen/live/programs/require.h"

enum { kModulus = 9973, kCells = 4 };

typedef struct {
    int cell[kCells];
} Matrix;

static int rank, size;
static long compared;

static Matrix product(const Matrix* a, const Matrix* b) {
    Matrix of;
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 2; ++column) {
            const long sum =
                (long)a->cell[2 * row] * b->cell[column] + (long)a->cell[2 * row + 1] * b->cell[column + 2];
            of.cell[2 * row + column] = (int)(sum % kModulus);
        }
    }
    return of;
}

static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    Matrix* to = inout;
    for (int i = 0; i < *count; ++i) to[i] = product((const Matrix*)in + i, to + i);
}

/* Item i of rank `of`. */
static Matrix item(int of, int i) {
    const unsigned seed = 2654435761U * (unsigned)(of + 1) + 40503U * (unsigned)i;
    return (Matrix){
        {(int)(seed % 97) + 1, (int)(seed / 97 % 89), (int)(seed / 8633 % 83), (int)(seed / 716539 % 79) + 1}};
}

static void fill(Matrix* items, int count) {
    for (int i = 0; i < count; ++i) items[i] = item(rank, i);
}

/* Items from `first` on must be the products over ranks 0 to `last`. */
static void compare(const Matrix* items, int first, int count, int last) {
    for (int i = 0; i < count; ++i) {
        Matrix expected = item(0, first + i);
        for (int of = 1; of <= last; ++of) {
            const Matrix next = item(of, first + i);
            expected = product(&expected, &next);
        }
        require(memcmp(&expected, &items[i], sizeof expected) == 0);
        ++compared;
    }
}

static void wait_for(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

/* `is_in_place`: the data is in the result buffer. */
static void reduce(int count, MPI_Datatype type, MPI_Op op, int is_in_place, int blocks) {
    Matrix* from = malloc(sizeof(Matrix) * (size_t)count);
    Matrix* to = malloc(sizeof(Matrix) * (size_t)count);
    int* counts = malloc(sizeof(int) * (size_t)size);
    const void* given = is_in_place ? MPI_IN_PLACE : (const void*)from;
    MPI_Request request;
#define AGAIN(CALL, ICALL)     \
    do {                       \
        fill(from, count);     \
        fill(to, count);       \
        if (blocks)            \
            CALL;              \
        else {                 \
            ICALL;             \
            wait_for(request); \
        }                      \
    } while (0)

    for (int root = 0; root<size; root += size> 2 ? size - 1 : 1) {
        const void* of_root = rank == root ? given : from;
        AGAIN(MPI_Reduce(of_root, to, count, type, op, root, MPI_COMM_WORLD),
              MPI_Ireduce(of_root, to, count, type, op, root, MPI_COMM_WORLD, &request));
        if (rank == root) compare(to, 0, count, size - 1);
    }
    AGAIN(MPI_Allreduce(given, to, count, type, op, MPI_COMM_WORLD),
          MPI_Iallreduce(given, to, count, type, op, MPI_COMM_WORLD, &request));
    compare(to, 0, count, size - 1);
    AGAIN(MPI_Scan(given, to, count, type, op, MPI_COMM_WORLD),
          MPI_Iscan(given, to, count, type, op, MPI_COMM_WORLD, &request));
    compare(to, 0, count, rank);
    AGAIN(MPI_Exscan(given, to, count, type, op, MPI_COMM_WORLD),
          MPI_Iexscan(given, to, count, type, op, MPI_COMM_WORLD, &request));
    if (rank > 0) compare(to, 0, count, rank - 1);

    const int each = count / size;
    AGAIN(MPI_Reduce_scatter_block(given, to, each, type, op, MPI_COMM_WORLD),
          MPI_Ireduce_scatter_block(given, to, each, type, op, MPI_COMM_WORLD, &request));
    compare(to, rank * each, each, size - 1);
    /* Blocks of all sizes, including empty ones. */
    int first = 0;
    for (int of = 0, left = count; of < size; ++of) {
        counts[of] = of == size - 1 ? left : left < of % 3 * each ? left : of % 3 * each;
        if (of < rank) first += counts[of];
        left -= counts[of];
    }
    AGAIN(MPI_Reduce_scatter(given, to, counts, type, op, MPI_COMM_WORLD),
          MPI_Ireduce_scatter(given, to, counts, type, op, MPI_COMM_WORLD, &request));
    compare(to, first, counts[rank], size - 1);
    free(counts);
    free(to);
    free(from);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype type;
    MPI_Type_contiguous(kCells, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op op;
    MPI_Op_create(multiply, 0, &op);
    const int counts[] = {1, size, 5 * size + 3, 700};
    for (int c = 0; c < 4; ++c) {
        for (int ways = 0; ways < 4; ++ways) reduce(counts[c], type, op, ways & 1, ways & 2);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    long all = 0;
    MPI_Reduce(&compared, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%ld products are right\n", all);
    MPI_Finalize();
    return 0;
}
