#include "collectives/scan.h"

#include "collectives/pieces.h"

namespace haichi::collectives {

namespace {

Steps linear_scan(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    if (!arguments.in_place) exchange.copy(arguments.send, arguments.receive);
    if (rank > 0) {
        const Buffer room = room_like(exchange, arguments.receive);
        exchange.receive(room, rank - 1);
        co_await exchange.wait();
        exchange.combine(*arguments.operation, room.data, arguments.receive);
    }
    if (rank + 1 < exchange.size()) exchange.send(arguments.receive, rank + 1);
    co_await exchange.wait();
}

Steps linear_exscan(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int rank = exchange.rank();
    Buffer passed = contribution(arguments);
    if (rank > 0) {
        const bool is_last = rank + 1 == exchange.size();
        if (!is_last) {
            passed = room_like(exchange, passed);
            exchange.copy(contribution(arguments), passed);
        }
        exchange.receive(arguments.receive, rank - 1);
        co_await exchange.wait();
        if (!is_last) exchange.combine(*arguments.operation, arguments.receive.data, passed);
    }
    if (rank + 1 < exchange.size()) exchange.send(passed, rank + 1);
    co_await exchange.wait();
}

/// Members exchange the sums of their groups of 2^k members. Sums from lower ranks are part of the result.
Steps doubling(Exchange& exchange, CollectiveArguments arguments, bool inclusive) {
    const int rank = exchange.rank();
    const Reduction& operation = *arguments.operation;
    const Buffer result = arguments.receive;
    Buffer sum = room_like(exchange, result);
    Buffer room = room_like(exchange, result);
    exchange.copy(contribution(arguments), sum);
    if (inclusive && !arguments.in_place) exchange.copy(arguments.send, result);
    bool has_result = inclusive;
    for (int distance = 1; distance < exchange.size(); distance *= 2) {
        const int partner = rank ^ distance;
        if (partner >= exchange.size()) continue;
        co_await exchange_with(exchange, sum, partner, room, partner);
        if (partner < rank) {
            if (has_result) {
                exchange.combine(operation, room.data, result);
            } else {
                exchange.copy(room, result);
                has_result = true;
            }
        }
        if (partner < rank || operation.commutes()) {
            exchange.combine(operation, room.data, sum);
        } else {
            exchange.combine(operation, sum.data, room);
            std::swap(sum, room);
        }
    }
}

Steps doubling_scan(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    return doubling(exchange, arguments, true);
}

Steps doubling_exscan(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    return doubling(exchange, arguments, false);
}

}  // namespace

const Table<AlgorithmRow>& scan_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"scan algorithm", "algorithms"},
        {
            {"linear", "Each rank sends its result to the next rank.", linear_scan, 1},
            {"recursive-doubling", "Step k exchanges sums with rank XOR 2^k.", doubling_scan, 2},
        });
    return kRows;
}

const Table<AlgorithmRow>& exscan_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"exscan algorithm", "algorithms"},
        {
            {"linear", "Each rank sends its result to the next rank.", linear_exscan, 1},
            {"recursive-doubling", "Step k exchanges sums with rank XOR 2^k.", doubling_exscan, 2},
        });
    return kRows;
}

}  // namespace haichi::collectives
