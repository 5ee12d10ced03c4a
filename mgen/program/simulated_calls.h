#pragma once

// What the simulated machine gives to programs besides MPI; not there under a real MPI.

struct MGEN_Send_options;

extern "C" {
__attribute__((weak)) void haichi_mgen_compute(double seconds);
/// Of the rank's next send.
__attribute__((weak)) void haichi_mgen_next_send(const MGEN_Send_options* options);
}
