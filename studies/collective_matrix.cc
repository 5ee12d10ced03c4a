// Prints the messages that each rank sends when our algorithms run collective operations. The output has the format of
// collective_driver.c. Standard input has lines "OPERATION MEMBERS ROOT COUNT" (items of four bytes).
//
//     collective_matrix openmpi < cases
//
// The file is part of the study collective_matrices.py, which states its date and result.
#include <cstdio>
#include <iostream>
#include <sstream>

#include "collectives/selection.h"
#include "tests/mgen/mpi/collective_job.h"

namespace haichi::mpi {
namespace {

struct MatrixCase {
    std::string operation;
    int members = 1;
    int root = 0;
    int count = 0;
};

/// The buffers of a rank. If counts differ between ranks, rank i has count + i mod 3 items, as in collective_driver.c.
struct MemberArrays {
    std::vector<int> counts;
    std::vector<int> offsets;
    std::vector<int> equal;
    std::vector<int> places;
    std::vector<int> sent;
    std::vector<int> received;

    MemberArrays(const MatrixCase& c, int rank) {
        int total = 0;
        const int own = c.count + rank % 3;
        for (int i = 0; i < c.members; ++i) {
            counts.push_back(c.count + i % 3);
            offsets.push_back(total);
            equal.push_back(own);
            places.push_back(i * own);
            total += counts.back();
        }
        sent.resize(static_cast<std::size_t>(total) + 1);
        received.resize((static_cast<std::size_t>(c.count) + 3) * static_cast<std::size_t>(c.members));
    }
};

CollectiveArguments arguments_of(const MatrixCase& c, MemberArrays& arrays, int rank, const Operation& sum) {
    CollectiveArguments a;
    a.collective = collective_named(c.operation);
    a.root = c.root;
    a.operation = nullptr;
    const Datatype* const type = Datatype::basic(BasicType::kInt).get();
    a.send = {arrays.sent.data(), c.count, type};
    a.receive = {arrays.received.data(), c.count, type};
    switch (a.collective) {
        case CollectiveKind::kGatherv:
        case CollectiveKind::kAllgatherv:
            a.send.count = arrays.counts[static_cast<std::size_t>(rank)];
            a.receive_counts = Counts(arrays.counts.data());
            a.receive_offsets = Counts(arrays.offsets.data());
            break;
        case CollectiveKind::kScatterv:
            a.receive.count = arrays.counts[static_cast<std::size_t>(rank)];
            a.send_counts = Counts(arrays.counts.data());
            a.send_offsets = Counts(arrays.offsets.data());
            break;
        case CollectiveKind::kAlltoallv:
            a.send_counts = Counts(arrays.counts.data());
            a.send_offsets = Counts(arrays.offsets.data());
            a.receive_counts = Counts(arrays.equal.data());
            a.receive_offsets = Counts(arrays.places.data());
            break;
        case CollectiveKind::kReduceScatter:
            a.receive_counts = Counts(arrays.counts.data());
            a.operation = &sum;
            break;
        case CollectiveKind::kReduce:
        case CollectiveKind::kAllreduce:
        case CollectiveKind::kReduceScatterBlock:
        case CollectiveKind::kScan:
        case CollectiveKind::kExscan:
            a.operation = &sum;
            break;
        default:
            break;
    }
    return a;
}

void print_matrix(const MatrixCase& c, const CollectiveSelection& selection) {
    const OperationRef& sum = Operation::predefined(OperationKind::kSum);
    std::vector<MemberArrays> arrays;
    arrays.reserve(static_cast<std::size_t>(c.members));
    for (int rank = 0; rank < c.members; ++rank) arrays.emplace_back(c, rank);
    CollectiveJob job(c.members, 0, 1);
    std::string algorithm;
    job.run([&](Exchange& exchange, int) {
        const int rank = exchange.rank();
        const CollectiveArguments a = arguments_of(c, arrays[static_cast<std::size_t>(rank)], rank, *sum);
        algorithm = selection.choose(a, rank, c.members).row->name;
        return collective_steps(exchange, a, selection);
    });
    std::printf("case %s %d %d %d %s\n", c.operation.c_str(), c.members, c.root, c.count, algorithm.c_str());
    for (const auto& [pair, cell] : job.matrix().cells) {
        if (pair.first == pair.second) continue;
        std::printf("%d %d %lld %lld\n", pair.first, pair.second, static_cast<long long>(cell.messages),
                    static_cast<long long>(cell.bytes));
    }
}

int run(int argc, char** argv) {
    CollectiveSelection selection;
    for (int i = 1; i < argc; ++i) selection.set(argv[i]);
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        MatrixCase c;
        if (words >> c.operation >> c.members >> c.root >> c.count) print_matrix(c, selection);
    }
    return 0;
}

}  // namespace
}  // namespace haichi::mpi

int main(int argc, char** argv) {
    try {
        return haichi::mpi::run(argc, argv);
    } catch (const haichi::Error& error) {
        std::fprintf(stderr, "collective_matrix: %s\n", error.what());
        return haichi::exit_code(error.kind());
    }
}
