/* nbody_exchange sync|free FITS COUNTS: the particle exchange of an n-body code by puts. Every rank
 *   1. counts its particles by destination,
 *   2. puts each count into the memory of the destination,
 *   3. packs each block of particles and puts it to its destination,
 *   4. unpacks the blocks of all other ranks.
 * With `sync`, ranks complete all puts and wait in a barrier after steps 2 and 3. With `free`, ranks instead poll for
 * the counts and blocks before step 4, so a rank may begin to pack while others still count.
 *
 * FITS is a file with the size of a particle, `particle BYTES`, and one linear fit per line, `count`, `pack` or
 * `unpack`, with SECONDS and SECONDS_PER_PARTICLE. The fit `count` is for all particles of a rank, the other fits are
 * for one block. A # starts a comment. COUNTS is a file with RANKS lines of RANKS numbers. Entry j of line i is the
 * number of particles that rank i holds for rank j. Particles of entry i stay on rank i. */

#include <mgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_TAG = 1000, DATA_TAG = 2000, BARRIER_TAG = 3000, FITS = 3 };

static struct fit {
    const char* name;
    double seconds, seconds_per_particle;
    int is_given;
} fits[FITS] = {{"count", 0, 0, 0}, {"pack", 0, 0, 0}, {"unpack", 0, 0, 0}};
static const struct fit *count = &fits[0], *pack = &fits[1], *unpack = &fits[2];
static int rank, ranks, barriers, particle_bytes;

static void fail(const char* text, const char* about) {
    fprintf(stderr, "nbody_exchange: %s%s\n", text, about);
    exit(2);
}

static FILE* opened(const char* path) {
    FILE* file = fopen(path, "r");
    if (file == NULL) fail("cannot open ", path);
    return file;
}

static void read_fits(const char* path) {
    FILE* file = opened(path);
    char line[256], name[16];
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || line[strspn(line, " \t\n")] == '\0') continue;
        if (sscanf(line, "particle %d", &particle_bytes) == 1) continue;
        double seconds, each;
        if (sscanf(line, "%15s %lf %lf", name, &seconds, &each) != 3) fail("invalid fit: ", line);
        int i = 0;
        while (i < FITS && strcmp(name, fits[i].name) != 0) ++i;
        if (i == FITS) fail("expected particle, count, pack or unpack, found ", line);
        fits[i].seconds = seconds;
        fits[i].seconds_per_particle = each;
        fits[i].is_given = 1;
    }
    fclose(file);
    if (particle_bytes < 1) fail("no size of a particle in ", path);
    for (int i = 0; i < FITS; ++i) {
        if (!fits[i].is_given) fail("no fit for ", fits[i].name);
    }
}

static int* read_counts(const char* path) {
    FILE* file = opened(path);
    int* particles = malloc(sizeof *particles * ranks * ranks);
    for (int i = 0; i < ranks * ranks; ++i) {
        if (fscanf(file, "%d", &particles[i]) != 1 || particles[i] < 0)
            fail("too few counts, or one below 0, in ", path);
    }
    fclose(file);
    return particles;
}

static void work(const struct fit* fit, int particles) {
    MGEN_Comp(fit->seconds + fit->seconds_per_particle * particles);
}

/* Completes all puts of the rank, and then waits in a dissemination barrier of puts. Each step has its own tag. */
static void meet(void) {
    const int number = barriers++;
    MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
    for (int step = 0; 1 << step < ranks; ++step) {
        MGEN_rdma_put((rank + (1 << step)) % ranks, 0, BARRIER_TAG + 32 * number + step);
        MGEN_rdma_poll(BARRIER_TAG + 32 * number + step);
    }
}

int MGEN_Main(int argc, char** argv) {
    if (argc != 4) fail("expected sync or free, a file of fits, and a file of counts", "");
    const int meets = strcmp(argv[1], "sync") == 0;
    if (!meets && strcmp(argv[1], "free") != 0) fail("expected sync or free, found ", argv[1]);
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    read_fits(argv[2]);
    int* particles = read_counts(argv[3]);

    int held = 0;
    for (int to = 0; to < ranks; ++to) held += particles[rank * ranks + to];
    work(count, held);
    for (int ahead = 1; ahead < ranks; ++ahead) MGEN_rdma_put((rank + ahead) % ranks, sizeof(int), COUNT_TAG);
    if (meets) meet();
    for (int ahead = 1; ahead < ranks; ++ahead) {
        const int to = (rank + ahead) % ranks, leaving = particles[rank * ranks + to];
        work(pack, leaving);
        MGEN_rdma_put(to, leaving * particle_bytes, DATA_TAG);
    }
    for (int ahead = 1; ahead < ranks && !meets; ++ahead) {
        MGEN_rdma_poll(COUNT_TAG);
        MGEN_rdma_poll(DATA_TAG);
    }
    if (meets) {
        meet();
    } else {
        MGEN_acp_complete(MGEN_ACP_HANDLE_ALL);
    }
    for (int ahead = 1; ahead < ranks; ++ahead) {
        work(unpack, particles[(rank + ranks - ahead) % ranks * ranks + rank]);
    }
    free(particles);
    return 0;
}
