// C++ exceptions, streams and static objects.
#include <mpi.h>

#include <iostream>
#include <stdexcept>
#include <string>

namespace {

int number = 1;

struct Object {
    int value = number;
    ~Object() { std::cout << "the object had " << value << std::endl; }
};
Object object;

void fail(int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    throw std::runtime_error("rank " + std::to_string(rank) + " fails");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    number += rank;
    object.value += 10 * rank;
    try {
        fail(rank);
    } catch (const std::exception& error) {
        MPI_Barrier(MPI_COMM_WORLD);
        std::cout << error.what() << ", the number is " << number << "\n";
    }
    MPI_Finalize();
}
