#include "cli/program.h"

int main(int argc, char** argv) { return haichi::cli::run_program(argc, argv); }
