/* Each rank allocates, resizes and frees memory of all kinds, and reads back the written values. With an argument MIB,
 * each rank in turn allocates and fills MIB MiB and ends. */

#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <string.h>

#include "tests/mgen/live/programs/require.h"

static int rank, ranks;

struct block {
    unsigned char* data;
    size_t bytes;
    unsigned char mark;
};

static void fill(struct block* block, unsigned char mark) {
    block->mark = mark;
    memset(block->data, mark, block->bytes);
}

static void check(const struct block* block) {
    for (size_t i = 0; i < block->bytes; ++i) require(block->data[i] == block->mark);
}

static void many_blocks(void) {
    enum { kBlocks = 200, kSteps = 4000 };
    static struct block blocks[kBlocks];
    srand(rank + 1);
    for (int step = 0; step < kSteps; ++step) {
        struct block* block = &blocks[rand() % kBlocks];
        const size_t bytes = (size_t)rand() % ((size_t)1 << rand() % 18);
        if (step % 100 == 0) MPI_Barrier(MPI_COMM_WORLD);
        if (block->data == NULL) {
            block->data = malloc(bytes);
            require(((uintptr_t)block->data & 15) == 0);
        } else {
            check(block);
            if (rand() % 3 == 0) {
                free(block->data);
                block->data = NULL;
                block->bytes = 0;
                continue;
            }
            unsigned char* moved = realloc(block->data, bytes + 1);
            for (size_t i = 0; i < block->bytes && i < bytes; ++i) require(moved[i] == block->mark);
            block->data = moved;
        }
        block->bytes = bytes;
        require(malloc_usable_size(block->data) >= bytes);
        fill(block, (unsigned char)(rank + step));
    }
    for (int i = 0; i < kBlocks; ++i) {
        check(&blocks[i]);
        free(blocks[i].data);
    }
}

static void all_functions(void) {
    for (size_t alignment = 16; alignment <= 1 << 21; alignment *= 2) {
        void* block = NULL;
        require(posix_memalign(&block, alignment, 100) == 0 && ((uintptr_t)block & (alignment - 1)) == 0);
        memset(block, rank, 100);
        block = realloc(block, 5000);
        require(((unsigned char*)block)[99] == (unsigned char)rank);
        free(block);
        block = aligned_alloc(alignment, alignment * 2);
        require(((uintptr_t)block & (alignment - 1)) == 0);
        free(block);
    }
    void* block = NULL;
    require(posix_memalign(&block, 24, 100) != 0);
    block = memalign(64, 10);
    free(block);
    block = valloc(10);
    require(((uintptr_t)block & 4095) == 0);
    free(block);
    for (size_t bytes = 1; bytes < 1 << 20; bytes *= 7) {
        unsigned char* zeros = calloc(bytes, 3);
        for (size_t i = 0; i < bytes * 3; ++i) require(zeros[i] == 0);
        memset(zeros, 1, bytes * 3);
        free(zeros);
    }
    volatile size_t too_many = SIZE_MAX / 2, all = SIZE_MAX;
    require(calloc(too_many, 3) == NULL && malloc(all) == NULL && malloc(too_many) == NULL);
    require(reallocarray(NULL, too_many, 8) == NULL);
    int* numbers = reallocarray(NULL, 10, sizeof *numbers);
    numbers[9] = rank;
    numbers = reallocarray(numbers, 100000, sizeof *numbers);
    require(numbers[9] == rank);
    free(numbers);
    free(NULL);
    void* nothing = malloc(0);
    require(nothing != NULL);
    free(nothing);
}

/* Memory allocated by the C library is freed by the program, and vice versa. */
static void texts(void) {
    char* copy = strdup("a text");
    char* made = NULL;
    require(asprintf(&made, "%s of rank %d", copy, rank) > 0);
    MPI_Barrier(MPI_COMM_WORLD);
    char wanted[40];
    sprintf(wanted, "a text of rank %d", rank);
    require(strcmp(made, wanted) == 0);
    char* line = malloc(2);
    size_t bytes = 2;
    FILE* file = tmpfile();
    fprintf(file, "%s, which is longer than it was\n", made);
    rewind(file);
    require(getline(&line, &bytes, file) > 20 && strncmp(line, made, strlen(made)) == 0);
    fclose(file);
    char* in_memory = NULL;
    FILE* stream = open_memstream(&in_memory, &bytes);
    fprintf(stream, "%d", rank);
    fclose(stream);
    require(atoi(in_memory) == rank);
    free(in_memory);
    free(line);
    free(made);
    free(copy);
}

/* Memory allocated by one rank is freed by another. */
static void handed_over(void) {
    char* block = malloc(100000);
    strcpy(block, "of the neighbour");
    char* other = NULL;
    MPI_Sendrecv(&block, sizeof block, MPI_BYTE, (rank + 1) % ranks, 0, &other, sizeof other, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require(strcmp(other, "of the neighbour") == 0);
    free(other);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks share one buffer for standard output. */
static void output_beyond_a_rank(void) {
    setvbuf(stdout, malloc(1 << 16), _IOFBF, 1 << 16);
    printf("rank %d has its memory\n", rank);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1) {
        const size_t bytes = (size_t)atoi(argv[1]) << 20;
        int before = 0;
        if (rank > 0) MPI_Recv(&before, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        char* large = malloc(bytes / 2);
        memset(large, 1, bytes / 2);
        for (size_t done = 0; done < bytes / 2; done += 1000) memset(malloc(1000), 1, 1000);
        ++before;
        if (rank + 1 < ranks) MPI_Send(&before, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        if (rank + 1 == ranks) printf("%d ranks\n", before);
        MPI_Finalize();
        return 0;
    }
    many_blocks();
    all_functions();
    texts();
    if (getenv("MEMORY_IS_SHARED") != NULL) handed_over();
    output_beyond_a_rank();
    MPI_Finalize();
    return 0;
}
