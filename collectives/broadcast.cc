#include "collectives/broadcast.h"

#include "collectives/packed_data.h"
#include "collectives/trees.h"

namespace haichi::collectives {

namespace {

/// Sends segment by segment down a tree. A member receives the next segment while it passes on the last one.
Steps down_tree(Exchange& exchange, CollectiveArguments arguments, Tuning tuning, TreePlace place) {
    const bool is_root = exchange.rank() == arguments.root;
    const PackedData data(exchange, arguments.receive, is_root);
    const std::int64_t item = data.item_bytes();
    const std::int64_t step = segment_items(tuning.segment_bytes, item, data.bytes() / item) * item;
    const auto segment = [&](std::int64_t first) { return data.part(first, std::min(step, data.bytes() - first)); };

    Exchange::Message coming = 0;
    std::vector<Exchange::Message> going;
    if (!is_root) coming = exchange.receive(segment(0), place.parent);
    for (std::int64_t first = 0; first < data.bytes(); first += step) {
        if (!is_root) {
            const Exchange::Message awaited = coming;
            if (first + step < data.bytes()) coming = exchange.receive(segment(first + step), place.parent);
            co_await exchange.wait(awaited);
        }
        going.clear();
        for (const int child : place.children) going.push_back(exchange.send(segment(first), child));
        for (const Exchange::Message message : going) co_await exchange.wait(message);
    }
    data.finish(exchange, is_root);
}

Steps doubling_binomial(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return down_tree(exchange, arguments, tuning, doubling_tree(exchange.rank(), exchange.size(), arguments.root));
}

Steps broadcast_binomial(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return down_tree(exchange, arguments, tuning, knomial_tree(exchange.rank(), exchange.size(), arguments.root, 2));
}

Steps knomial(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const int radix = tuning.fanout > 1 ? tuning.fanout : 4;
    return down_tree(exchange, arguments, tuning,
                     knomial_tree(exchange.rank(), exchange.size(), arguments.root, radix));
}

Steps broadcast_binary(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return down_tree(exchange, arguments, tuning, complete_tree(exchange.rank(), exchange.size(), arguments.root, 2));
}

Steps broadcast_pipeline(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return down_tree(exchange, arguments, tuning, chain_tree(exchange.rank(), exchange.size(), arguments.root, 1));
}

}  // namespace

Steps broadcast_chain(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    return down_tree(exchange, arguments, tuning,
                     chain_tree(exchange.rank(), exchange.size(), arguments.root, tuning.fanout));
}

Steps broadcast_linear(Exchange& exchange, CollectiveArguments arguments, Tuning /*tuning*/) {
    if (exchange.rank() != arguments.root) {
        exchange.receive(arguments.receive, arguments.root);
    } else {
        for (int i = 0; i < exchange.size(); ++i) {
            if (i != exchange.rank()) exchange.send(arguments.receive, i);
        }
    }
    co_await exchange.wait();
}

/// Sends one half of the data down the left side of a binary tree, and the other half down the right side. Pairs of
/// members then exchange their halves.
Steps broadcast_split_binary(Exchange& exchange, CollectiveArguments arguments, Tuning tuning) {
    const int size = exchange.size();
    const Ring ring{arguments.root, size};
    const int number = ring.number_of(exchange.rank());
    const bool is_root = number == 0;
    const PackedData data(exchange, arguments.receive, is_root);
    const std::int64_t item = data.item_bytes();
    const std::int64_t count = data.bytes() / item;
    const Shares halves{count, 2};
    if (halves.size(1) == 0 || tuning.segment_bytes > halves.size(0) * item ||
        tuning.segment_bytes > halves.size(1) * item) {
        tuning.fanout = 1;
        co_await broadcast_chain(exchange, arguments, tuning);
        co_return;
    }
    const std::int64_t whole_items = std::max<std::int64_t>(tuning.segment_bytes / item, 1);
    const auto step_of = [&](int half) { return tuning.segment_bytes > 0 ? whole_items : halves.size(half); };
    const auto segments_of = [&](int half) { return (halves.size(half) + step_of(half) - 1) / step_of(half); };
    const auto segment = [&](int half, std::int64_t index) {
        const std::int64_t first = index * step_of(half);
        return data.part((halves.first(half) + first) * item,
                         std::min(step_of(half), halves.size(half) - first) * item);
    };
    const auto half_data = [&](int half) { return data.part(halves.first(half) * item, halves.size(half) * item); };

    const TreePlace place = complete_tree(exchange.rank(), size, arguments.root, 2);
    const int own = (number + 1) % 2;  // odd numbers are on the left side
    if (is_root) {
        for (std::int64_t index = 0; index < segments_of(0); ++index) {
            for (int half = 0; half < 2 && half < static_cast<int>(place.children.size()); ++half) {
                if (index >= segments_of(half)) continue;
                co_await exchange.wait(
                    exchange.send(segment(half, index), place.children[static_cast<std::size_t>(half)]));
            }
        }
    } else {
        Exchange::Message coming = exchange.receive(segment(own, 0), place.parent);
        for (std::int64_t index = 0; index < segments_of(own); ++index) {
            const Exchange::Message awaited = coming;
            if (index + 1 < segments_of(own)) coming = exchange.receive(segment(own, index + 1), place.parent);
            co_await exchange.wait(awaited);
            for (const int child : place.children) co_await exchange.wait(exchange.send(segment(own, index), child));
        }
    }

    // Partners have adjacent numbers. If the number of members is even, one member has no partner and gets its half
    // from the root.
    const bool is_last_alone = size % 2 == 0;
    if (is_root) {
        if (is_last_alone) exchange.send(half_data(1), ring.rank_of(size - 1));
    } else if (is_last_alone && number == size - 1) {
        exchange.receive(half_data(1), arguments.root);
    } else {
        const int partner = ring.rank_of(number % 2 == 1 ? number + 1 : number - 1);
        exchange.receive(half_data(1 - own), partner);
        exchange.send(half_data(own), partner);
    }
    co_await exchange.wait();
    data.finish(exchange, is_root);
}

const Table<AlgorithmRow>& broadcast_algorithms() {
    static const Table<AlgorithmRow> kRows(
        {"broadcast algorithm", "algorithms"},
        {
            {"linear", "The root sends to all.", broadcast_linear, 1},
            {"chain", "The root sends down chains of ranks, segment by segment.", broadcast_chain, 2},
            {"pipeline", "Down one chain of all ranks, segment by segment.", broadcast_pipeline, 3},
            {"split-binary", "Each half goes down one side of a binary tree, then pairs exchange their halves.",
             broadcast_split_binary, 4},
            {"binary", "Down a binary tree.", broadcast_binary, 5},
            {"doubling-binomial", "Down a binomial tree whose distances double from the root.", doubling_binomial, 6},
            {"knomial", "Down a k-nomial tree; `fanout` sets k, 4 by default.", knomial, 7},
            {"scatter-doubling-items", "Binomial scatter of whole items, then all-gather by recursive doubling.",
             broadcast_scatter_doubling_of_items, 8},
            {"scatter-ring-items", "Binomial scatter of whole items, then all-gather in a ring.",
             broadcast_scatter_ring_of_items, 9},
            {"binomial", "Down a binomial tree whose distances halve from the root.", broadcast_binomial},
            {"scatter-doubling", "Binomial scatter of bytes, then all-gather by recursive doubling.",
             broadcast_scatter_doubling},
            {"scatter-ring", "Binomial scatter of bytes, then all-gather in a ring.", broadcast_scatter_ring},
        });
    return kRows;
}

}  // namespace haichi::collectives
