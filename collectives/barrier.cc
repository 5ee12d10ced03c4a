#include "collectives/barrier.h"

#include "collectives/pieces.h"

namespace haichi::collectives {

namespace {

Steps barrier_linear(Exchange& exchange, CollectiveArguments /*arguments*/, Tuning /*tuning*/) {
    if (exchange.rank() > 0) {
        exchange.send(no_bytes(), 0);
        exchange.receive(no_bytes(), 0);
        co_await exchange.wait();
        co_return;
    }
    for (int i = 1; i < exchange.size(); ++i) exchange.receive(no_bytes(), i);
    co_await exchange.wait();
    for (int i = 1; i < exchange.size(); ++i) exchange.send(no_bytes(), i);
    co_await exchange.wait();
}

/// A message travels around the ring twice.
Steps double_ring(Exchange& exchange, CollectiveArguments /*arguments*/, Tuning /*tuning*/) {
    const Ring ring{exchange.rank(), exchange.size()};
    for (int round = 0; round < 2; ++round) {
        if (exchange.rank() > 0) {
            exchange.receive(no_bytes(), ring.rank_of(exchange.size() - 1));
            co_await exchange.wait();
        }
        exchange.send(no_bytes(), ring.rank_of(1));
        co_await exchange.wait();
        if (exchange.rank() == 0) {
            exchange.receive(no_bytes(), ring.rank_of(exchange.size() - 1));
            co_await exchange.wait();
        }
    }
}

Steps barrier_recursive_doubling(Exchange& exchange, CollectiveArguments /*arguments*/, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const int inner = largest_power_of_two(exchange.size());
    const int outer = exchange.size() - inner;
    if (rank >= inner) {
        co_await exchange_with(exchange, no_bytes(), rank - inner, no_bytes(), rank - inner);
        co_return;
    }
    if (rank < outer) {
        exchange.receive(no_bytes(), rank + inner);
        co_await exchange.wait();
    }
    for (int distance = 1; distance < inner; distance *= 2) {
        co_await exchange_with(exchange, no_bytes(), rank ^ distance, no_bytes(), rank ^ distance);
    }
    if (rank < outer) {
        exchange.send(no_bytes(), rank + inner);
        co_await exchange.wait();
    }
}

Steps dissemination(Exchange& exchange, CollectiveArguments /*arguments*/, Tuning /*tuning*/) {
    const Ring ring{exchange.rank(), exchange.size()};
    for (std::int64_t distance = 1; distance < exchange.size(); distance *= 2) {
        const int step = static_cast<int>(distance);
        co_await exchange_with(exchange, no_bytes(), ring.rank_of(step), no_bytes(),
                               ring.rank_of(exchange.size() - step));
    }
}

Steps barrier_two_members(Exchange& exchange, CollectiveArguments /*arguments*/, Tuning /*tuning*/) {
    co_await exchange_with(exchange, no_bytes(), 1 - exchange.rank(), no_bytes(), 1 - exchange.rank());
}

/// Messages go up a binomial tree and down again.
Steps tree(Exchange& exchange, CollectiveArguments /*arguments*/, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    const int size = exchange.size();
    int distance = 1;
    for (; distance < size && (rank & distance) == 0; distance *= 2) {
        if (rank + distance >= size) continue;
        exchange.receive(no_bytes(), rank + distance);
        co_await exchange.wait();
    }
    if (rank > 0) {
        exchange.send(no_bytes(), rank - distance);
        co_await exchange.wait();
        exchange.receive(no_bytes(), rank - distance);
        co_await exchange.wait();
    }
    for (distance /= 2; distance > 0; distance /= 2) {
        if (rank + distance >= size) continue;
        exchange.send(no_bytes(), rank + distance);
        co_await exchange.wait();
    }
}

}  // namespace

const Table<AlgorithmRow>& barrier_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"barrier algorithm", "algorithms"},
        {
            {"linear", "All ranks send to rank 0, which sends to all.", barrier_linear, 1},
            {"double-ring", "A message goes around the ring twice.", double_ring, 2},
            {"recursive-doubling", "Step k exchanges with rank XOR 2^k.", barrier_recursive_doubling, 3},
            {"dissemination", "Step k sends to rank + 2^k (Open MPI's bruck).", dissemination, 4},
            {"two-members", "Two ranks exchange messages.", barrier_two_members, 5, false, 2},
            {"tree", "Up a binomial tree, then down.", tree, 6},
            {.name = "hardware",
             .sentence = "The machine's barrier network (`node.barrier_step`) in blocking calls, else dissemination.",
             .run = dissemination,
             .by_hardware = true},
        });
    return kRows;
}

}  // namespace haichi::collectives
