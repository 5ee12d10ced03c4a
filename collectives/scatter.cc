#include "collectives/gather.h"
#include "collectives/pieces.h"
#include "collectives/trees.h"

namespace haichi::collectives {

namespace {

void keep_sent_block(Exchange& exchange, const CollectiveArguments& arguments) {
    if (!arguments.in_place) exchange.copy(Blocks::sent(arguments)[exchange.rank()], arguments.receive);
}

Steps from_root(Exchange& exchange, CollectiveArguments arguments, Tuning tuning, bool skips_empty) {
    const int rank = exchange.rank();
    if (rank != arguments.root) {
        if (!skips_empty || arguments.receive.bytes() > 0) exchange.receive(arguments.receive, arguments.root);
        co_await exchange.wait();
        co_return;
    }
    const Blocks blocks = Blocks::sent(arguments);
    for (int i = 0; i < exchange.size(); ++i) {
        if (i == rank || (skips_empty && blocks.bytes(i) == 0)) continue;
        const Exchange::Message message = exchange.send(blocks[i], i);
        if (tuning.most_requests > 0 && i % tuning.most_requests == 0) co_await exchange.wait(message);
    }
    keep_sent_block(exchange, arguments);
    co_await exchange.wait();
}

Steps scatter_linear(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    return from_root(exchange, arguments, {.most_requests = 1}, false);
}

Steps linear_at_once(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    if (tuning.most_requests == 1) tuning.most_requests = 0;
    return from_root(exchange, arguments, tuning, false);
}

Steps scatterv_linear(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return from_root(exchange, arguments, tuning, arguments.counts_are_known);
}

/// Scatters down a binomial tree. A message contains the blocks of all members of a subtree, which is a run of members.
Steps scatter_binomial(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int size = exchange.size();
    const Ring ring{arguments.root, size};
    const int number = ring.number_of(exchange.rank());
    const TreePlace place = binomial_tree(exchange.rank(), size, arguments.root);
    const auto end_of_child = [&](int child) { return std::min(2 * child - number, size); };

    if (number != 0 && place.children.empty()) {
        exchange.receive(arguments.receive, place.parent);
        co_await exchange.wait();
        co_return;
    }
    const Blocks blocks = Blocks::sent(arguments);
    std::int64_t block = 0;
    std::byte* all = nullptr;  // the blocks from this member's block on
    if (number != 0) {
        block = arguments.receive.bytes();
        const int members = end_of_child(ring.number_of(place.children.back())) - number;
        all = exchange.scratch(members * block);
        exchange.receive(packed(all, members * block), place.parent);
        co_await exchange.wait();
        exchange.copy(packed(all, block), arguments.receive);
    } else {
        block = blocks.bytes(0);
    }
    for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
        const int first = ring.number_of(*child);
        const int count = end_of_child(first) - first;
        Buffer run = packed(all + (first - number) * block, count * block);
        if (number == 0) {
            const int before_wrap = std::min(count, size - *child);
            if (before_wrap == count) {
                run = blocks.run(*child, count);
            } else {
                std::byte* const joined = exchange.scratch(count * block);
                exchange.copy(blocks.run(*child, before_wrap), packed(joined, before_wrap * block));
                exchange.copy(blocks.run(0, count - before_wrap),
                              packed(joined + before_wrap * block, (count - before_wrap) * block));
                run = packed(joined, count * block);
            }
        }
        exchange.send(run, *child);
        co_await exchange.wait();
    }
    if (number == 0) keep_sent_block(exchange, arguments);
}

}  // namespace

const Table<AlgorithmRow>& scatter_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"scatter algorithm", "algorithms"},
        {
            {"linear", "The root sends to one rank after the other.", scatter_linear, 1},
            {"binomial", "Down a binomial tree.", scatter_binomial, 2},
            {"linear-at-once", "The root sends to all ranks at once.", linear_at_once, 3},
        });
    return kRows;
}

const Table<AlgorithmRow>& scatterv_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"scatterv algorithm", "algorithms"},
        {
            {"linear", "The root sends to all ranks that receive data.", scatterv_linear, 1},
        });
    return kRows;
}

}  // namespace haichi::collectives
