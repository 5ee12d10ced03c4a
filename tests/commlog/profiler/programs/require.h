#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The programs check what they receive: a profiler must not change it. */
static inline void require_at(int holds, const char* what, const char* file, int line) {
    if (holds) return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    exit(3);
}
#define require(holds) require_at(holds, #holds, __FILE__, __LINE__)
