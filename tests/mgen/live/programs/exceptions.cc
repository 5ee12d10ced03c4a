// Exceptions thrown and caught in several ranks at once. MPI calls occur between throw and catch, in a catch block and
// in destructors while the stack unwinds.

#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int rank, size;

struct Barrier {
    std::string name;
    ~Barrier() { MPI_Barrier(MPI_COMM_WORLD); }
};

int sum_of(int value) {
    int sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void dive(int depth) {
    Barrier barrier{"at depth " + std::to_string(depth)};
    if (depth == 0) {
        if (rank % 2 == 0) throw std::runtime_error("rank " + std::to_string(rank));
        throw rank;
    }
    dive(depth - 1);
}

std::string caught() {
    try {
        dive(3 + rank % 1);
    } catch (const std::runtime_error& e) {
        const std::string before = e.what();
        const int sum = sum_of(rank);  // all ranks are inside their catch block now
        try {
            throw std::logic_error("again in " + before);
        } catch (const std::logic_error& again) {
            MPI_Barrier(MPI_COMM_WORLD);
            return std::string(e.what()) + ", " + again.what() + ", sum " + std::to_string(sum);
        }
    } catch (int number) {
        const int sum = sum_of(rank);
        MPI_Barrier(MPI_COMM_WORLD);
        return "number " + std::to_string(number) + ", sum " + std::to_string(sum);
    }
    return "nothing";
}

void rethrow_between_calls() {
    try {
        try {
            throw std::vector<int>(static_cast<std::size_t>(rank) + 1, rank);
        } catch (...) {
            MPI_Barrier(MPI_COMM_WORLD);
            throw;
        }
    } catch (const std::vector<int>& values) {
        const int sum = sum_of(static_cast<int>(values.size()));
        std::printf("rank %d: %zu values, sum %d, uncaught %d\n", rank, values.size(), sum, std::uncaught_exceptions());
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 3; ++round) std::printf("rank %d: %s\n", rank, caught().c_str());
    rethrow_between_calls();
    MPI_Finalize();
    return 0;
}
