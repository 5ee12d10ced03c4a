// The same with C++ features: containers, exceptions, static objects.
#include <mgen.h>

#include <iostream>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

struct Counter {
    int count = 40;
};
Counter counter;

}  // namespace

int MGEN_Main(int /*argc*/, char** /*argv*/) {
    int rank = 0;
    int ranks = 0;
    MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
    MGEN_Comm_size(MGEN_COMM_WORLD, &ranks);
    counter.count += rank;
    std::vector<int> all(static_cast<std::size_t>(ranks));
    MGEN_Allgather(&counter.count, 1, MGEN_INT, all.data(), 1, MGEN_INT, MGEN_COMM_WORLD);
    try {
        MGEN_Comp(1e-6);
        if (rank % 2 == 1) throw std::runtime_error("odd");
        std::cout << "rank " << rank << " sum " << std::accumulate(all.begin(), all.end(), 0) << "\n";
    } catch (const std::runtime_error& error) {
        std::cout << "rank " << rank << " is " << error.what() << "\n";
    }
    return 0;
}
