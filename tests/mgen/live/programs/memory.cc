// C++ memory: containers that are moved, exceptions, aligned objects, static and thread-local objects with destructors.

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

#define REQUIRE(holds)                                                                           \
    do {                                                                                         \
        if (!(holds)) {                                                                          \
            std::fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #holds); \
            MPI_Abort(MPI_COMM_WORLD, 70);                                                       \
        }                                                                                        \
    } while (0)

int rank = -1;

struct Told {
    const char* name;
    std::vector<int> numbers;
    explicit Told(const char* n) : name(n), numbers(1000, 7) {}
    ~Told() {
        if (rank == 1) std::printf("%s of rank %d ends, %d\n", name, rank, numbers[999]);
    }
};

Told of_program("static object");
thread_local Told of_thread("thread-local object");

struct alignas(256) Aligned {
    char bytes[300];
};

std::vector<std::string> words(int count) {
    std::vector<std::string> made;
    for (int i = 0; i < count; ++i) made.push_back("a word that is no short one: " + std::to_string(i + rank));
    return made;
}

void throw_across_calls(int depth) {
    std::vector<double> local(static_cast<std::size_t>(100 * depth), rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (depth == 0) throw std::runtime_error("thrown by rank " + std::to_string(rank));
    throw_across_calls(depth - 1);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    of_thread.numbers[0] = rank;
    std::map<int, std::vector<std::string>> all;
    for (int i = 0; i < 50; ++i) {
        std::vector<std::string> some = words(i);
        all[i] = std::move(some);
        if (i % 10 == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    for (const auto& [count, made] : all) {
        for (int i = 0; i < count; ++i) {
            REQUIRE(made[static_cast<std::size_t>(i)] == "a word that is no short one: " + std::to_string(i + rank));
        }
    }
    try {
        throw_across_calls(4);
        REQUIRE(false);
    } catch (const std::runtime_error& error) {
        REQUIRE(std::string(error.what()) == "thrown by rank " + std::to_string(rank));
    }
    for (int i = 0; i < 10; ++i) {
        const auto one = std::make_unique<Aligned>();
        REQUIRE(reinterpret_cast<std::uintptr_t>(one.get()) % 256 == 0);
        const std::unique_ptr<Aligned[]> several(new Aligned[3]);
        REQUIRE(reinterpret_cast<std::uintptr_t>(several.get()) % 256 == 0);
    }
    volatile std::size_t too_much = static_cast<std::size_t>(1) << 60;
    try {
        std::vector<char> none(too_much);
        REQUIRE(none.empty());
    } catch (const std::bad_alloc&) {
    }
    REQUIRE(new (std::nothrow) char[too_much] == nullptr);
    std::ostringstream text;
    for (int i = 0; i < 1000; ++i) text << i << ' ';
    REQUIRE(text.str().size() == 3890);
    REQUIRE(of_thread.numbers[0] == rank);
    MPI_Finalize();
    return 0;
}
