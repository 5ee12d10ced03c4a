/* Each rank has its own variables of all kinds, in the program and in its own library, and pointers to them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/mgen/live/programs/own_library.h"

static int number = 100;
static int* pointer = &number;
static _Thread_local int of_thread = 3;
static _Thread_local int* of_thread_pointer = &number;
static char large[300000];

static int get_number(void) { return number; }
static int (*function)(void) = get_number;

__attribute__((constructor)) static void begin(void) { ++number; }
__attribute__((destructor)) static void end(void) { printf("destructor %d\n", number); }
static void at_end(void) { printf("atexit %d %d %d\n", number, own_number, of_thread); }

int main(int argc, char** argv) {
    int rank, size, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    atexit(at_end);
    own_call = get_number;
    *pointer += rank;
    of_thread += rank;
    large[rank * 1000] = 1;
    for (int i = 0; i < 3; ++i) {
        own_next();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (own_number != 13 || *own_pointer != 13 || own_pointer != &own_number) wrong |= 1;
    if (*own_pair.number != 11 || own_pair.pointer != &own_pointer) wrong |= 2;
    if (function() != 101 + rank || own_next() != 101 + rank) wrong |= 4;
    if (of_thread != 3 + rank || of_thread_pointer != &number) wrong |= 8;
    for (int r = 0; r < size; ++r) {
        if (large[r * 1000] != (r == rank)) wrong |= 16;
    }
    fprintf(stdout, "rank %d: wrong %d\n", rank, wrong);
    MPI_Finalize();
    return wrong;
}
