/* Derived data types: received data is stored as the type specifies, gaps stay unchanged. Also packing and sizes. */

#include <stddef.h>
#include <string.h>

#include "tests/mgen/live/programs/require.h"

struct particle {
    char kind;
    double place[3];
    int id;
};

static int rank, size;

static void exchange(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                     MPI_Datatype in_type) {
    MPI_Status status;
    int bytes;
    MPI_Sendrecv(out, out_count, out_type, (rank + 1) % size, 0, in, in_count, in_type, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Aint low, extent;
    int type_size;
    MPI_Type_get_extent(out_type, &low, &extent);
    MPI_Type_size(out_type, &type_size);
    require(bytes == out_count * type_size);
    if (rank == 0) printf("  %d of size %d, extent %ld from %ld\n", out_count, type_size, (long)extent, (long)low);
}

static void print(const char* name, const int* values, int count) {
    if (rank != 0) return;
    printf("%s:", name);
    for (int i = 0; i < count; ++i) printf(" %d", values[i]);
    printf("\n");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[48], in[48];
    for (int i = 0; i < 48; ++i) out[i] = rank * 1000 + i;
    memset(in, -1, sizeof in);

    MPI_Datatype vector, indexed, sub, resized, record, array;
    MPI_Type_vector(4, 2, 5, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    exchange(out, 1, vector, in, 8, MPI_INT);
    print("vector to contiguous", in, 12);
    exchange(out, 8, MPI_INT, in, 1, vector);
    print("contiguous to vector", in, 24);

    const int lengths[] = {1, 3, 2}, places[] = {10, 0, 6};
    MPI_Type_indexed(3, lengths, places, MPI_INT, &indexed);
    MPI_Type_commit(&indexed);
    exchange(out, 2, indexed, in, 12, MPI_INT);
    print("indexed", in, 14);

    const int sizes[] = {4, 6}, part[] = {2, 3}, starts[] = {1, 2};
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_INT, &sub);
    MPI_Type_commit(&sub);
    memset(in, -1, sizeof in);
    exchange(out, 1, sub, in, 1, sub);
    print("sub-array", in, 24);

    MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &resized);
    MPI_Type_commit(&resized);
    memset(in, -1, sizeof in);
    exchange(out, 6, MPI_INT, in, 6, resized);
    print("resized", in, 20);

    const int counts[] = {1, 3, 1};
    const MPI_Aint at[] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                           offsetof(struct particle, id)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Type_create_struct(3, counts, at, types, &record);
    MPI_Type_create_resized(record, 0, sizeof(struct particle), &array);
    MPI_Type_commit(&array);
    struct particle from[3], to[3];
    memset(from, 0x55, sizeof from);
    memset(to, 0x77, sizeof to);
    for (int i = 0; i < 3; ++i) {
        from[i].kind = (char)('a' + i + rank);
        for (int j = 0; j < 3; ++j) from[i].place[j] = rank + i + j / 4.0;
        from[i].id = 10 * rank + i;
    }
    exchange(from, 3, array, to, 3, array);
    for (int i = 0; i < 3 && rank == 0; ++i) {
        printf("particle %c %g %g %g %d, gap %x\n", to[i].kind, to[i].place[0], to[i].place[1], to[i].place[2],
               to[i].id, ((unsigned char*)&to[i])[1]);
    }

    char packed[256];
    int position = 0, need;
    MPI_Pack_size(2, vector, MPI_COMM_WORLD, &need);
    require(need >= 64);
    MPI_Pack(out, 1, vector, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Pack(from, 1, array, packed, sizeof packed, &position, MPI_COMM_WORLD);
    const int bytes = position;
    char arrived[256];
    exchange(packed, bytes, MPI_PACKED, arrived, sizeof arrived, MPI_PACKED);
    position = 0;
    memset(in, -1, sizeof in);
    MPI_Unpack(arrived, bytes, &position, in, 8, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(arrived, bytes, &position, to, 1, array, MPI_COMM_WORLD);
    require(position == bytes);
    print("packed", in, 10);
    if (rank == 0) printf("packed %d bytes, particle %d\n", bytes, to[0].id);

    /* A broadcast of non-contiguous data. */
    memset(in, -1, sizeof in);
    if (rank == 1 % size) memcpy(in, out, sizeof in);
    MPI_Bcast(in, 1, sub, 1 % size, MPI_COMM_WORLD);
    print("broadcast", in, 24);

    MPI_Type_free(&vector);
    MPI_Type_free(&indexed);
    MPI_Type_free(&sub);
    MPI_Type_free(&resized);
    MPI_Type_free(&record);
    MPI_Type_free(&array);
    require(vector == MPI_DATATYPE_NULL);
    MPI_Finalize();
    return 0;
}
