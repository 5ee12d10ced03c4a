#pragma once

// What the simulated machine gives to programs besides MPI; not there under a real MPI.

#include <stdint.h>  // also of C programs

struct MGEN_Send_options;

// `site` is where the program calls what is in its library.
extern "C" {
/// For tools (haichi's profiler asks the loader for it): the simulated time of the rank that calls, behind what it has
/// begun. A look takes no time. Of the process itself, which is no rank: 0.
__attribute__((weak)) uint64_t haichi_simulated_nanoseconds(void);
__attribute__((weak)) long long haichi_mgen_put(int to, int bytes, int tag, const MGEN_Send_options* options);
__attribute__((weak)) long long haichi_mgen_get(int from, int bytes, const MGEN_Send_options* options);
/// Adds `value`, or where `expected` is given puts it in that one's place.
__attribute__((weak)) long long haichi_mgen_word(int rank, int word, const long long* expected, long long value,
                                                 long long* result);
__attribute__((weak)) void haichi_mgen_poll(int tag);
__attribute__((weak)) void haichi_mgen_complete(long long handle);
__attribute__((weak)) void haichi_mgen_key(int key);
__attribute__((weak)) void haichi_mgen_compute(double seconds, const void* site);
/// Of the rank's next send, until end_send; null: none. An error class of MPI.
__attribute__((weak)) int haichi_mgen_begin_send(const MGEN_Send_options* options, const void* site);
__attribute__((weak)) void haichi_mgen_end_send();
}
