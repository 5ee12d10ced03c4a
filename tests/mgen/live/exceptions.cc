// Ranks handle exceptions while other ranks run and handle theirs; also static objects with constructors.
#include <mpi.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<int> numbers(4, 1);

struct Counted {
    int value = 7;
    // Written in one piece, because mpiexec mixes concurrent output of processes.
    ~Counted() { std::cout << "value at the end " + std::to_string(value) + "\n" << std::flush; }
} counted;

int sum_of_ranks(int rank) {
    int sum = 0;
    try {
        throw std::runtime_error("of rank " + std::to_string(rank));
    } catch (const std::exception& error) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (error.what() != "of rank " + std::to_string(rank)) sum = -1;
        try {
            throw;
        } catch (const std::runtime_error&) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    numbers[0] += rank;
    counted.value += rank;
    const int sum = sum_of_ranks(rank);
    numbers.push_back(sum);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < size; ++r) {
        if (r == rank)
            std::cout << "rank " << rank << ": " << numbers[0] << ' ' << numbers.size() << ' ' << sum << '\n'
                      << std::flush;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
