// Every algorithm of every collective operation, with messages that arrive in random order, is compared with the
// operation's definition.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "collectives/recorded_rounds.h"
#include "tests/mgen/mpi/collective_data.h"
#include "tests/mgen/mpi/collective_job.h"

namespace haichi::mpi {
namespace {

/// One case of one algorithm.
struct Case {
    CollectiveKind collective;
    const AlgorithmRow* row;
    const ItemKind* kind;
    Tuning tuning;
    int members = 1;
    int root = 0;
    std::int64_t count = 0;
    bool in_place = false;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << name_of(c.collective) << ' ' << c.row->name << " members " << c.members << " root " << c.root << " count "
         << c.count << (c.in_place ? " in place" : "") << " type of " << c.kind->type->size() << " bytes, segment "
         << c.tuning.segment_bytes << " requests " << c.tuning.most_requests
         << (c.kind->operation.commutes() ? "" : " ordered");
}

/// Counts that differ by rank; some are 0 if `count` is 0.
std::int64_t count_of(const Case& c, int rank) { return c.count + rank % 3; }
std::int64_t pair_count(const Case& c, int from, int to) { return c.count + (from + 2 * to) % 3; }

/// The vectors of the ranks [0, end), combined in rank order.
ItemValue combined(const Case& c, int end, std::int64_t index) {
    ItemValue value = c.kind->value(end - 1, index);
    for (int rank = end - 2; rank >= 0; --rank) value = c.kind->combined(c.kind->value(rank, index), value);
    return value;
}

/// One member's buffers and arrays.
struct MemberData {
    std::unique_ptr<ItemMemory> sent;
    std::unique_ptr<ItemMemory> received;
    std::vector<int> send_counts;
    std::vector<int> send_offsets;
    std::vector<std::int64_t> receive_counts;
    std::vector<std::int64_t> receive_offsets;
    std::vector<const ItemType*> types;
    CollectiveArguments arguments;
};

class CaseRun {
  public:
    explicit CaseRun(const Case& c) : c_(c), data_(static_cast<std::size_t>(c.members)) {}

    void run() {
        for (int rank = 0; rank < c_.members; ++rank) prepare(rank);
        CollectiveJob job(c_.members, 0, static_cast<std::uint64_t>(c_.members * 31 + c_.root));
        job.run([&](Exchange& exchange, int) {
            MemberData& own = data_[static_cast<std::size_t>(exchange.rank())];
            // The first rule of the selection chooses the algorithm; its sub-operations are selected as usual.
            return c_.row->run(exchange, own.arguments, c_.tuning);
        });
        for (int rank = 0; rank < c_.members; ++rank) check(rank);
        // The same messages are sent without data.
        MessageMatrix sizes_alone;
        for (const Round& round : recorded_rounds(c_.members, [&](Exchange& exchange) {
                 return c_.row->run(exchange, data_[static_cast<std::size_t>(exchange.rank())].arguments, c_.tuning);
             })) {
            for (const auto& [from, to, bytes] : round) {
                ++sizes_alone.cells[{from, to}].messages;
                sizes_alone.cells[{from, to}].bytes += bytes;
            }
        }
        ASSERT_EQ(sizes_alone.cells, job.matrix().cells);
    }

  private:
    MemberData& of(int rank) { return data_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool is_root(int rank) const { return rank == c_.root; }

    void room(int rank, std::int64_t sent, std::int64_t received) {
        of(rank).sent = std::make_unique<ItemMemory>(*c_.kind, sent);
        of(rank).received = std::make_unique<ItemMemory>(*c_.kind, received);
    }

    void prepare(int rank);
    void prepare_alltoall_of_counts(int rank);
    void prepare_reduction(int rank);
    void check(int rank);
    void check_reduction(int rank);

    Case c_;
    std::vector<MemberData> data_;
    CollectiveSelection selection_;
};

void CaseRun::prepare_alltoall_of_counts(int rank) {
    MemberData& own = of(rank);
    const int n = c_.members;
    const bool by_bytes = c_.collective == CollectiveKind::kAlltoallw;
    // In place, both sides have the same counts.
    const auto count = [&](int from, int to) {
        return c_.in_place ? pair_count(c_, std::min(from, to), std::max(from, to)) : pair_count(c_, from, to);
    };
    std::int64_t sent = 0;
    std::int64_t received = 0;
    const std::int64_t unit = by_bytes ? c_.kind->type->extent() : 1;
    for (int i = 0; i < n; ++i) {
        own.send_counts.push_back(static_cast<int>(count(rank, i)));
        own.send_offsets.push_back(static_cast<int>(sent * unit));
        own.receive_counts.push_back(count(i, rank));
        own.receive_offsets.push_back(received * unit);
        own.types.push_back(c_.kind->type.get());
        sent += count(rank, i);
        received += count(i, rank) + 1;  // with a gap
    }
    room(rank, sent, received);
    std::int64_t at = 0;
    for (int i = 0; i < n; ++i) {
        own.sent->fill(at, count(rank, i), rank, i * 100);
        if (c_.in_place) own.received->fill(own.receive_offsets[i] / unit, count(rank, i), rank, i * 100);
        at += count(rank, i);
    }
    own.arguments.send_counts = Counts(own.send_counts.data());
    own.arguments.send_offsets = Counts(own.send_offsets.data());
    own.arguments.receive_counts = Counts(own.receive_counts.data());
    own.arguments.receive_offsets = Counts(own.receive_offsets.data());
    own.arguments.send = own.sent->buffer(0);
    own.arguments.receive = own.received->buffer(0);
    if (by_bytes) {
        own.arguments.send_types = own.types;
        own.arguments.receive_types = own.types;
    }
}

void CaseRun::prepare_reduction(int rank) {
    MemberData& own = of(rank);
    CollectiveArguments& a = own.arguments;
    std::int64_t sent = c_.count;
    std::int64_t received = c_.count;
    if (c_.collective == CollectiveKind::kReduceScatter) {
        sent = 0;
        for (int i = 0; i < c_.members; ++i) {
            own.receive_counts.push_back(count_of(c_, i));
            sent += count_of(c_, i);
        }
        a.receive_counts = Counts(own.receive_counts.data());
        received = c_.in_place ? sent : count_of(c_, rank);
    } else if (c_.collective == CollectiveKind::kReduceScatterBlock) {
        sent = c_.count * c_.members;
        if (c_.in_place) received = sent;
    }
    room(rank, sent, received);
    own.sent->fill(0, sent, rank, 0);
    a.in_place = c_.in_place && (c_.collective != CollectiveKind::kReduce || is_root(rank));
    if (a.in_place) own.received->fill(0, sent, rank, 0);
    a.operation = &c_.kind->operation;
    a.send = own.sent->buffer(sent);
    a.receive = own.received->buffer(c_.count);
    if (c_.collective == CollectiveKind::kReduce && !is_root(rank)) a.receive = {};
    if (a.in_place) a.send = {};
}

void CaseRun::prepare(int rank) {
    MemberData& own = of(rank);
    CollectiveArguments& a = own.arguments;
    a.collective = c_.collective;
    a.root = c_.root;
    a.selection = &selection_;
    a.in_place = c_.in_place;
    const int n = c_.members;
    switch (c_.collective) {
        case CollectiveKind::kBroadcast:
            room(rank, 0, c_.count);
            if (is_root(rank)) own.received->fill(0, c_.count, rank, 0);
            a.receive = own.received->buffer(c_.count);
            break;
        case CollectiveKind::kGather:
        case CollectiveKind::kAllgather: {
            room(rank, c_.count, c_.count * n);
            own.sent->fill(0, c_.count, rank, 0);
            const bool gets_all = c_.collective == CollectiveKind::kAllgather || is_root(rank);
            a.in_place = c_.in_place && gets_all;
            a.send = own.sent->buffer(c_.count);
            if (gets_all) a.receive = own.received->buffer(c_.count);
            if (!a.in_place) break;
            own.received->fill(rank * c_.count, c_.count, rank, 0);
            a.send = {};
            break;
        }
        case CollectiveKind::kGatherv:
        case CollectiveKind::kAllgatherv: {
            std::int64_t total = 0;
            for (int i = 0; i < n; ++i) {
                own.receive_counts.push_back(count_of(c_, i));
                own.receive_offsets.push_back(total);
                total += count_of(c_, i) + 1;
            }
            room(rank, count_of(c_, rank), total);
            own.sent->fill(0, count_of(c_, rank), rank, 0);
            const bool gets_all = c_.collective == CollectiveKind::kAllgatherv || is_root(rank);
            a.in_place = c_.in_place && gets_all;
            a.send = own.sent->buffer(count_of(c_, rank));
            if (gets_all) {
                a.receive = own.received->buffer(0);
                a.receive_counts = Counts(own.receive_counts.data());
                a.receive_offsets = Counts(own.receive_offsets.data());
            }
            if (!a.in_place) break;
            own.received->fill(own.receive_offsets[static_cast<std::size_t>(rank)], count_of(c_, rank), rank, 0);
            a.send = {};
            break;
        }
        case CollectiveKind::kScatter:
        case CollectiveKind::kScatterv: {
            const bool counts = c_.collective == CollectiveKind::kScatterv;
            std::int64_t total = 0;
            room(rank, (c_.count + 3) * n, c_.count + 2);
            for (int i = 0; i < n; ++i) {
                const std::int64_t count = counts ? count_of(c_, i) : c_.count;
                own.send_counts.push_back(static_cast<int>(count));
                own.send_offsets.push_back(static_cast<int>(total));
                if (is_root(rank)) own.sent->fill(total, count, c_.root, i * 100);
                total += count;
            }
            a.in_place = c_.in_place && is_root(rank);
            if (is_root(rank)) a.send = own.sent->buffer(c_.count);
            if (counts && is_root(rank)) {
                a.send_counts = Counts(own.send_counts.data());
                a.send_offsets = Counts(own.send_offsets.data());
            }
            if (!a.in_place) a.receive = own.received->buffer(counts ? count_of(c_, rank) : c_.count);
            break;
        }
        case CollectiveKind::kAlltoall:
            room(rank, c_.count * n, c_.count * n);
            for (int i = 0; i < n; ++i) {
                own.sent->fill(i * c_.count, c_.count, rank, i * 100);
                if (c_.in_place) own.received->fill(i * c_.count, c_.count, rank, i * 100);
            }
            a.send = own.sent->buffer(c_.count);
            a.receive = own.received->buffer(c_.count);
            if (c_.in_place) a.send = {};
            break;
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw:
            prepare_alltoall_of_counts(rank);
            break;
        case CollectiveKind::kBarrier:
            room(rank, 0, 0);
            break;
        default:
            prepare_reduction(rank);
    }
}

void CaseRun::check_reduction(int rank) {
    ItemMemory& received = *of(rank).received;
    const auto expect = [&](std::int64_t count, int end, std::int64_t first) {
        for (std::int64_t i = 0; i < count; ++i) {
            ASSERT_EQ(received.get(i), combined(c_, end, first + i)) << "rank " << rank << " item " << i;
        }
    };
    std::int64_t first = 0;
    switch (c_.collective) {
        case CollectiveKind::kReduce:
            if (is_root(rank)) expect(c_.count, c_.members, 0);
            break;
        case CollectiveKind::kAllreduce:
            expect(c_.count, c_.members, 0);
            break;
        case CollectiveKind::kScan:
            expect(c_.count, rank + 1, 0);
            break;
        case CollectiveKind::kExscan:
            if (rank > 0) expect(c_.count, rank, 0);
            break;
        case CollectiveKind::kReduceScatter:
            for (int i = 0; i < rank; ++i) first += count_of(c_, i);
            expect(count_of(c_, rank), c_.members, first);
            break;
        default:
            expect(c_.count, c_.members, rank * c_.count);
    }
}

void CaseRun::check(int rank) {
    MemberData& own = of(rank);
    const int n = c_.members;
    const auto at = static_cast<std::size_t>(rank);
    switch (c_.collective) {
        case CollectiveKind::kBarrier:
            break;
        case CollectiveKind::kBroadcast:
            own.received->expect(0, c_.count, c_.root, 0);
            break;
        case CollectiveKind::kGather:
        case CollectiveKind::kAllgather:
            if (c_.collective == CollectiveKind::kGather && !is_root(rank)) break;
            for (int i = 0; i < n; ++i) own.received->expect(i * c_.count, c_.count, i, 0);
            break;
        case CollectiveKind::kGatherv:
        case CollectiveKind::kAllgatherv:
            if (c_.collective == CollectiveKind::kGatherv && !is_root(rank)) break;
            for (int i = 0; i < n; ++i) {
                own.received->expect(own.receive_offsets[static_cast<std::size_t>(i)], count_of(c_, i), i, 0);
            }
            break;
        case CollectiveKind::kScatter:
        case CollectiveKind::kScatterv:
            if (own.arguments.in_place) break;
            own.received->expect(0, own.send_counts[at], c_.root, rank * 100);
            break;
        case CollectiveKind::kAlltoall:
            for (int i = 0; i < n; ++i) own.received->expect(i * c_.count, c_.count, i, rank * 100);
            break;
        case CollectiveKind::kAlltoallv:
        case CollectiveKind::kAlltoallw: {
            const std::int64_t unit = c_.collective == CollectiveKind::kAlltoallw ? c_.kind->type->extent() : 1;
            for (int i = 0; i < n; ++i) {
                const auto from = static_cast<std::size_t>(i);
                own.received->expect(own.receive_offsets[from] / unit, own.receive_counts[from], i, rank * 100);
            }
            break;
        }
        default:
            check_reduction(rank);
    }
    own.received->expect_gaps_untouched();
}

std::vector<int> member_counts() {
    std::vector<int> counts;
    for (int n = 1; n <= 9; ++n) counts.push_back(n);
    for (const int n : {12, 15, 16, 17, 33}) counts.push_back(n);
    return counts;
}

bool is_rooted(CollectiveKind collective) {
    switch (collective) {
        case CollectiveKind::kBroadcast:
        case CollectiveKind::kGather:
        case CollectiveKind::kGatherv:
        case CollectiveKind::kScatter:
        case CollectiveKind::kScatterv:
        case CollectiveKind::kReduce:
            return true;
        default:
            return false;
    }
}

bool is_reduction(CollectiveKind collective) {
    return collective >= CollectiveKind::kReduce && collective <= CollectiveKind::kExscan;
}

/// All cases of an algorithm. Its table entry runs directly if there is work to do, as in collective_steps().
void run_cases(CollectiveKind collective, const AlgorithmRow& row, const ItemKind& kind) {
    if (is_reduction(collective) && row.must_commute && !kind.operation.commutes()) return;
    const Tuning tunings[] = {{}, {.segment_bytes = 64, .fanout = 3, .most_requests = 2}};
    for (const int members : member_counts()) {
        if (members == 1 || (row.only_members != 0 && row.only_members != members)) continue;
        for (const int root : {0, 1, members - 1}) {
            if (root > 0 && !is_rooted(collective)) continue;
            for (const std::int64_t count : {0, 1, 3, 1000}) {
                if (count == 1000 && members > 5 && members != 12) continue;
                if (count != 3 && members > 17) continue;
                const bool counts_differ =
                    collective == CollectiveKind::kReduceScatter || collective == CollectiveKind::kAllgatherv ||
                    collective == CollectiveKind::kGatherv || collective == CollectiveKind::kScatterv ||
                    collective == CollectiveKind::kAlltoallv || collective == CollectiveKind::kAlltoallw;
                if (count == 0 && !counts_differ && collective != CollectiveKind::kBarrier) continue;
                // This butterfly needs equal blocks, so it is tested as reduce-scatter-block.
                if (row.only_power_of_two) continue;
                for (const Tuning& tuning : tunings) {
                    for (const bool in_place : {false, true}) {
                        if (in_place && collective == CollectiveKind::kBroadcast) continue;
                        const Case c{collective, &row, &kind, tuning, members, root, count, in_place};
                        SCOPED_TRACE(testing::PrintToString(c));
                        ASSERT_NO_FATAL_FAILURE(CaseRun(c).run());
                        if (testing::Test::HasFailure()) return;
                    }
                }
            }
        }
    }
}

class EveryAlgorithm : public testing::TestWithParam<int> {};

TEST_P(EveryAlgorithm, gives_what_the_operation_is_defined_to_give) {
    const auto collective = static_cast<CollectiveKind>(GetParam());
    for (const AlgorithmRow& row : algorithms(collective)) {
        for (const ItemKind& kind : {plain_items(), gapped_sums(), gapped_products()}) {
            if (!is_reduction(collective) && !kind.operation.commutes()) continue;
            run_cases(collective, row, kind);
            if (HasFailure()) return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Collectives, EveryAlgorithm, testing::Range(0, static_cast<int>(CollectiveKind::kExscan) + 1),
                         [](const testing::TestParamInfo<int>& row) {
                             std::string name(name_of(static_cast<CollectiveKind>(row.param)));
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace haichi::mpi
