/* Per-process state of the C library: options, random numbers, tokens, static data, output, exit codes. Every rank must
 * have its own. state [-a NUMBER] [-v] [--long TEXT] [-x EXIT_CODE] [WORDS] */

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "tests/mgen/live/programs/require.h"

static int rank, size, counter;
static char text[64];

/* Both run after MPI_Finalize, in reverse order of registration. */
static void first_registered(void) { printf("rank %d: at exit, counter %d\n", rank, counter); }
static void last_registered(void) {
    counter += 1000;
    fflush(stdout);
}

int main(int argc, char** argv) {
    static const struct option long_options[] = {{"long", required_argument, 0, 'l'}, {0, 0, 0, 0}};
    int option, number = -1, verbose = 0, exit_code = 0;
    atexit(first_registered);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    atexit(last_registered);

    /* Other ranks parse options while this rank does. */
    strcpy(text, "-");
    while ((option = getopt_long(argc, argv, "a:vx:", long_options, NULL)) != -1) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (option == 'a') number = atoi(optarg);
        if (option == 'v') ++verbose;
        if (option == 'x') exit_code = atoi(optarg);
        if (option == 'l') strncpy(text, optarg, sizeof text - 1);
    }
    printf("rank %d of %d: a %d, v %d, long %s, rest", rank, size, number, verbose, text);
    for (int i = optind; i < argc; ++i) printf(" %s", argv[i]);
    printf("\n");

    /* Each rank's random numbers depend only on its own seed and on how many it has drawn. */
    srand((unsigned)rank + 1);
    srandom((unsigned)rank + 2);
    srand48(rank + 3);
    long drawn[4] = {0, 0, 0, 0};
    for (int i = 0; i < 5 + rank; ++i) {
        drawn[0] = rand();
        drawn[1] = random();
        drawn[2] = lrand48();
        drawn[3] = (long)(drand48() * 1e9);
        if (i < 5) MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d: drawn %ld %ld %ld %ld\n", rank, drawn[0], drawn[1], drawn[2], drawn[3]);

    char line[64];
    int tokens = 0;
    snprintf(line, sizeof line, "one,two,three,rank%d", rank);
    for (char* token = strtok(line, ","); token != NULL; token = strtok(NULL, ",")) {
        ++tokens;
        counter += (int)strlen(token);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    errno = rank + 5;
    MPI_Barrier(MPI_COMM_WORLD);
    require(errno == rank + 5);
    printf("rank %d: %d tokens, counter %d\n", rank, tokens, counter);

    MPI_Finalize();
    if (exit_code != 0) exit(exit_code);
    return 0;
}
