#include "collectives/gather.h"

#include "collectives/pieces.h"
#include "collectives/trees.h"

namespace haichi::collectives {

void keep_own_block(Exchange& exchange, const CollectiveArguments& arguments) {
    if (!arguments.in_place) exchange.copy(arguments.send, Blocks::received(arguments)[exchange.rank()]);
}

namespace {

/// Gathers blocks with any counts. If `skips_empty`, empty blocks are not sent.
Steps to_root(Exchange& exchange, CollectiveArguments arguments, Tuning tuning, bool skips_empty) {
    const int rank = exchange.rank();
    if (rank != arguments.root) {
        if (!skips_empty || arguments.send.bytes() > 0) exchange.send(arguments.send, arguments.root);
        co_await exchange.wait();
        co_return;
    }
    keep_own_block(exchange, arguments);
    const Blocks blocks = Blocks::received(arguments);
    int open = 0;
    for (int i = 0; i < exchange.size(); ++i) {
        if (i == rank || (skips_empty && blocks.bytes(i) == 0)) continue;
        exchange.receive(blocks[i], i);
        if (++open == tuning.most_requests) {
            co_await exchange.wait();
            open = 0;
        }
    }
    co_await exchange.wait();
}

Steps gather_linear(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return to_root(exchange, arguments, tuning, false);
}

Steps gatherv_linear(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return to_root(exchange, arguments, tuning, arguments.counts_are_known);
}

/// The root requests the first segment of one member after the other. The rest follows without a request.
Steps linear_asked(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const auto cut = [&](const Buffer& block) {
        return std::min(segment_items(tuning.segment_bytes, block.type->size(), block.count), block.count);
    };
    if (exchange.rank() != arguments.root) {
        exchange.receive(no_bytes(), arguments.root);
        co_await exchange.wait();
        const std::int64_t first = cut(arguments.send);
        co_await exchange.wait(exchange.send(items(arguments.send, 0, first), arguments.root));
        exchange.send(items(arguments.send, first, arguments.send.count - first), arguments.root);
        co_await exchange.wait();
        co_return;
    }
    const Blocks blocks = Blocks::received(arguments);
    for (int i = 0; i < exchange.size(); ++i) {
        if (i == exchange.rank()) continue;
        const Buffer block = blocks[i];
        const std::int64_t first = cut(block);
        const Exchange::Message awaited = exchange.receive(items(block, 0, first), i);
        exchange.send(no_bytes(), i);
        exchange.receive(items(block, first, block.count - first), i);
        co_await exchange.wait(awaited);
    }
    keep_own_block(exchange, arguments);
    co_await exchange.wait();
}

/// Gathers up a binomial tree. A member collects the blocks of its subtree, a run of members, and passes them on as one
/// message.
Steps gather_binomial(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    const int size = exchange.size();
    const Ring ring{arguments.root, size};
    const int number = ring.number_of(exchange.rank());
    const TreePlace place = binomial_tree(exchange.rank(), size, arguments.root);
    const auto end_of_child = [&](int child) { return std::min(2 * child - number, size); };

    if (number != 0) {
        if (place.children.empty()) {
            exchange.send(arguments.send, place.parent);
            co_await exchange.wait();
            co_return;
        }
        const std::int64_t block = arguments.send.bytes();
        const int members = end_of_child(ring.number_of(place.children.back())) - number;
        std::byte* const all = exchange.scratch(members * block);
        exchange.copy(arguments.send, packed(all, block));
        for (const int child : place.children) {
            const int first = ring.number_of(child);
            exchange.receive(packed(all + (first - number) * block, (end_of_child(first) - first) * block), child);
            co_await exchange.wait();
        }
        exchange.send(packed(all, members * block), place.parent);
        co_await exchange.wait();
        co_return;
    }

    keep_own_block(exchange, arguments);
    const Blocks blocks = Blocks::received(arguments);
    for (const int child : place.children) {
        const int first = ring.number_of(child);
        const int count = end_of_child(first) - first;
        const int before_wrap = std::min(count, size - child);
        if (before_wrap == count) {
            exchange.receive(blocks.run(child, count), child);
            co_await exchange.wait();
            continue;
        }
        // The run wraps around to rank 0.
        const std::int64_t block = blocks.bytes(0);
        std::byte* const run = exchange.scratch(count * block);
        exchange.receive(packed(run, count * block), child);
        co_await exchange.wait();
        exchange.copy(packed(run, before_wrap * block), blocks.run(child, before_wrap));
        exchange.copy(packed(run + before_wrap * block, (count - before_wrap) * block),
                      blocks.run(0, count - before_wrap));
    }
}

}  // namespace

const Table<AlgorithmRow>& gather_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"gather algorithm", "algorithms"},
        {
            {"linear", "All ranks send to the root.", gather_linear, 1},
            {"binomial", "Up a binomial tree.", gather_binomial, 2},
            {"linear-asked", "The root requests the blocks one after the other.", linear_asked, 3},
        });
    return kRows;
}

const Table<AlgorithmRow>& gatherv_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"gatherv algorithm", "algorithms"},
        {
            {"linear", "All ranks that have data send to the root.", gatherv_linear, 1},
        });
    return kRows;
}

}  // namespace haichi::collectives
