/* indirect: makes MPI calls only through its library (own_mpi_library.c). */

int run_in_library(int argc, char** argv);

int main(int argc, char** argv) { return run_in_library(argc, argv); }
