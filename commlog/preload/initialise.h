#pragma once

#include "commlog/preload/mpi_library.h"

#define HAICHI_EXPORTED extern "C" __attribute__((visibility("default")))

// The Fortran interface determines if there is an error code. An error ends the program by default, which a program
// cannot change before MPI_Init. A Fortran interface may call the C function, so the statements may run twice.
#define HAICHI_INIT_(symbol, before, after)                              \
    HAICHI_EXPORTED void symbol(void* error) {                           \
        before;                                                          \
        haichi::preload::next_function<void (*)(void*)>(#symbol)(error); \
        after;                                                           \
    }
#define HAICHI_INIT_THREAD_(symbol, before, after)                                                         \
    HAICHI_EXPORTED void symbol(void* required, void* provided, void* error) {                             \
        before;                                                                                            \
        haichi::preload::next_function<void (*)(void*, void*, void*)>(#symbol)(required, provided, error); \
        after;                                                                                             \
    }

/// Defines MPI_Init and MPI_Init_thread for C and Fortran, with statements before and after the MPI's function.
#define HAICHI_REPLACE_INIT(before, after)                                                      \
    HAICHI_EXPORTED int MPI_Init(int* argc, char*** argv) {                                     \
        before;                                                                                 \
        const int result = NEXT(MPI_Init)(argc, argv);                                          \
        if (result == MPI_SUCCESS) after;                                                       \
        return result;                                                                          \
    }                                                                                           \
    HAICHI_EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) { \
        before;                                                                                 \
        const int result = NEXT(MPI_Init_thread)(argc, argv, required, provided);               \
        if (result == MPI_SUCCESS) after;                                                       \
        return result;                                                                          \
    }                                                                                           \
    HAICHI_INIT_(mpi_init_, before, after)                                                      \
    HAICHI_INIT_(mpi_init_f08_, before, after)                                                  \
    HAICHI_INIT_THREAD_(mpi_init_thread_, before, after)                                        \
    HAICHI_INIT_THREAD_(mpi_init_thread_f08_, before, after)
