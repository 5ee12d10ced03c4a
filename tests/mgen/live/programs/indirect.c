/* indirect: makes no MPI calls itself; its library does (own_mpi_library.c). */

int run_in_library(int argc, char** argv);

int main(int argc, char** argv) { return run_in_library(argc, argv); }
