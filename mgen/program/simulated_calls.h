#pragma once

// Functions that the simulated machine provides to programs besides MPI. They are absent under a real MPI.

#include <stdint.h>  // included by C programs, too

struct MGEN_Send_options;

// `site` is the program's call site of the library function.
extern "C" {
/// The simulated time of the calling rank, after all calls that it has begun. It is for tools: haichi's profiler looks
/// this function up in the loader. Reading the time costs no simulated time. Returns 0 in the process itself, which is
/// not a rank.
__attribute__((weak)) uint64_t haichi_simulated_nanoseconds(void);
__attribute__((weak)) long long haichi_mgen_put(int to, int bytes, int tag, const MGEN_Send_options* options);
__attribute__((weak)) long long haichi_mgen_get(int from, int bytes, const MGEN_Send_options* options);
/// Adds `value` to a word of the rank's memory. If `expected` is given, stores `value` instead, provided that the word
/// equals *expected.
__attribute__((weak)) long long haichi_mgen_word(int rank, int word, const long long* expected, long long value,
                                                 long long* result);
__attribute__((weak)) void haichi_mgen_poll(int tag);
__attribute__((weak)) void haichi_mgen_complete(long long handle);
__attribute__((weak)) void haichi_mgen_compute(double seconds, const void* site);
/// Sets the options of the rank's sends until haichi_mgen_end_send(); null means no options. Returns an error class of
/// MPI.
__attribute__((weak)) int haichi_mgen_begin_send(const MGEN_Send_options* options, const void* site);
__attribute__((weak)) void haichi_mgen_end_send();
}
