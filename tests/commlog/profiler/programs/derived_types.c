/* Only the sent bytes of a derived type count, without the gaps between them. */

#include <stddef.h>

#include "tests/commlog/profiler/programs/require.h"

typedef struct {
    char mark;
    double place[3];
    short kind;
} Particle;

int main(int argc, char** argv) {
    int rank, size, bytes, count;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Aint lower, extent;
    static double matrix[40][50], other[40][50];
    Particle particles[9] = {{'a', {0, 0, 0}, 0}}, arrived[9] = {{'b', {0, 0, 0}, 0}};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    for (int i = 0; i < 40; ++i) matrix[i][3] = rank + 1;

    /* A column has 320 bytes and is received as numbers, and vice versa. */
    MPI_Datatype column, columns;
    MPI_Type_vector(40, 1, 50, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(&matrix[0][3], 1, column, next, 1, other, 2000, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    require(count == 40 && other[0][39] == previous + 1);
    MPI_Type_create_resized(column, 0, sizeof(double), &columns);
    MPI_Type_commit(&columns);
    MPI_Irecv(&other[0][0], 10, columns, previous, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&matrix[0][3], 4, columns, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    require(other[5][0] == previous + 1);

    /* Irregular pieces; half of the last received element is missing. */
    const int lengths[4] = {1, 0, 5, 2}, places[4] = {30, 2, 0, 12};
    MPI_Datatype pieces, three;
    MPI_Type_indexed(4, lengths, places, MPI_INT, &pieces);
    MPI_Type_commit(&pieces);
    MPI_Sendrecv(matrix, 11, pieces, next, 3, other, 20, pieces, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Sendrecv(matrix, 7, MPI_INT, next, 4, other, 5, three, previous, 4, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, three, &count);
    require(count == MPI_UNDEFINED);
    MPI_Get_elements(&status, three, &count);
    require(count == 7);

    /* A structure has holes: 27 of its 40 bytes are sent. */
    const int blocks[3] = {1, 3, 1};
    const MPI_Aint offsets[3] = {offsetof(Particle, mark), offsetof(Particle, place), offsetof(Particle, kind)};
    const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Datatype bare, particle;
    MPI_Type_create_struct(3, blocks, offsets, types, &bare);
    MPI_Type_create_resized(bare, 0, sizeof(Particle), &particle);
    MPI_Type_commit(&particle);
    MPI_Type_size(particle, &bytes);
    MPI_Type_get_extent(particle, &lower, &extent);
    require(bytes == 27 && extent == sizeof(Particle));
    particles[8].kind = (short)(rank + 1);
    MPI_Sendrecv(particles, 9, particle, next, 5, arrived, 9, particle, previous, 5, MPI_COMM_WORLD, &status);
    require(arrived[8].kind == previous + 1);
    MPI_Bcast(particles, 5, particle, 0, MPI_COMM_WORLD);
    MPI_Bcast(matrix, 2, columns, size - 1, MPI_COMM_WORLD);

    /* Absolute addresses. */
    MPI_Aint addresses[2];
    const int ones[2] = {1, 6};
    MPI_Datatype everywhere;
    MPI_Get_address(&rank, &addresses[0]);
    MPI_Get_address(matrix, &addresses[1]);
    MPI_Type_create_hindexed(2, ones, addresses, MPI_INT, &everywhere);
    MPI_Type_commit(&everywhere);
    MPI_Irecv(other, 7, MPI_INT, previous, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(MPI_BOTTOM, 1, everywhere, next, 6, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    require(*(int*)other == previous);

    /* Types may be freed while they are in use. */
    const int whole[2] = {40, 50}, part[2] = {8, 9}, start[2] = {1, 2};
    MPI_Datatype block;
    MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    MPI_Irecv(other, 1, block, previous, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(matrix, 1, block, next, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&block);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Sendrecv(matrix, 5, nothing, next, 8, other, 5, nothing, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&nothing);
    MPI_Type_free(&everywhere);
    MPI_Type_free(&particle);
    MPI_Type_free(&bare);
    MPI_Type_free(&three);
    MPI_Type_free(&pieces);
    MPI_Type_free(&columns);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
