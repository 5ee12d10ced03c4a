#include "mapper/start/rank_groups.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/random.h"
#include "mapper/start/graph_bisection.h"

namespace haichi {

namespace {

/// The state of one partition of ranks into groups.
class GroupPartition {
  public:
    GroupPartition(const Problem& problem, std::int32_t most_ranks, std::uint64_t seed)
        : problem_(problem),
          most_ranks_(most_ranks),
          seed_(seed),
          ranks_(static_cast<std::size_t>(problem.rank_count())),
          number_(ranks_.size(), kOutside) {
        std::iota(ranks_.begin(), ranks_.end(), 0);
        // Low bits are dropped if sums of gains could overflow.
        std::int64_t quarters = 0;
        for (const std::int32_t rank : ranks_) {
            for (const Flow& flow : problem.flows(RankId(rank))) quarters += flow.size_bytes / 4;
        }
        while ((quarters >> shift_) > (std::int64_t{1} << 58)) ++shift_;
    }

    std::optional<RankGroups> run(const MayGoOn& may_go_on) {
        const auto rank_count = static_cast<std::int32_t>(ranks_.size());
        const std::int32_t count = (rank_count + most_ranks_ - 1) / most_ranks_;
        RankGroups groups{.of_rank = std::vector<std::int32_t>(ranks_.size()), .count = count};
        std::vector<Part> parts = {{0, ranks_.size(), 0, count}};
        while (!parts.empty()) {
            if (!may_go_on()) return {};
            const Part part = parts.back();
            parts.pop_back();
            if (part.groups == 1) {
                for (const std::int32_t rank : ranks(part)) {
                    groups.of_rank[static_cast<std::size_t>(rank)] = part.first_group;
                }
                continue;
            }
            const std::int32_t lower = part.groups / 2;
            const std::size_t middle = cut(part, lower);
            parts.push_back({part.first, middle, part.first_group, lower});
            parts.push_back({middle, part.last, part.first_group + lower, part.groups - lower});
        }
        return groups;
    }

  private:
    static constexpr std::int32_t kOutside = -1;
    /// The ranks [first, last) in ranks_, which will form some consecutive groups.
    struct Part {
        std::size_t first = 0;
        std::size_t last = 0;
        std::int32_t first_group = 0;
        std::int32_t groups = 0;
    };

    [[nodiscard]] std::span<std::int32_t> ranks(const Part& part) {
        return std::span(ranks_).subspan(part.first, part.last - part.first);
    }

    /// Cuts the part so that the ranks for the first `lower` groups come first. Returns the index at which the other
    /// ranks begin.
    std::size_t cut(const Part& part, std::int32_t lower) {
        constexpr int kGrowths = 4;
        const std::span<std::int32_t> here = ranks(part);
        const auto count = static_cast<std::int64_t>(here.size());
        const std::int64_t per_group = most_ranks_;
        const SideWeightRange range{std::max<std::int64_t>(count - (part.groups - lower) * per_group, 0),
                                    std::min(count, lower * per_group)};
        Random random(seed_, static_cast<std::uint64_t>(part.first_group + lower));
        const Sides sides = bisect(graph_of(here), range, kGrowths, random);
        std::vector<std::int32_t> others;
        std::size_t next = 0;
        for (std::size_t i = 0; i < here.size(); ++i) {
            if (sides[i] == 0) {
                here[next++] = here[i];
            } else {
                others.push_back(here[i]);
            }
        }
        std::ranges::copy(others, here.begin() + static_cast<std::ptrdiff_t>(next));
        return part.first + next;
    }

    WeightedGraph graph_of(std::span<const std::int32_t> ranks) {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            number_[static_cast<std::size_t>(ranks[i])] = static_cast<std::int32_t>(i);
        }
        WeightedGraph graph;
        graph.vertex_weight.assign(ranks.size(), 1);
        graph.pull.assign(ranks.size(), 0);
        graph.first.reserve(ranks.size() + 1);
        for (const std::int32_t rank : ranks) {
            for (const Flow& flow : problem_.flows(RankId(rank))) {
                const std::int32_t to = number_[flow.partner.index()];
                if (to == kOutside) continue;
                graph.edges.push_back({to, std::max<std::int64_t>(flow.size_bytes >> shift_, 1)});
            }
            graph.first.push_back(graph.edges.size());
        }
        for (const std::int32_t rank : ranks) number_[static_cast<std::size_t>(rank)] = kOutside;
        return graph;
    }

    const Problem& problem_;
    std::int32_t most_ranks_;
    std::uint64_t seed_;
    int shift_ = 0;
    std::vector<std::int32_t> ranks_;
    std::vector<std::int32_t> number_;  ///< index of a rank in the current graph
};

}  // namespace

std::optional<RankGroups> rank_groups(const Problem& problem, std::int32_t most_ranks, std::uint64_t seed,
                                      const MayGoOn& may_go_on) {
    return GroupPartition(problem, most_ranks, seed).run(may_go_on);
}

Workload traffic_between(const Problem& problem, const RankGroups& groups) {
    std::vector<std::vector<RankId>> members(static_cast<std::size_t>(groups.count));
    for (std::int32_t r = 0; r < problem.rank_count(); ++r) {
        members[static_cast<std::size_t>(groups.of_rank[static_cast<std::size_t>(r)])].push_back(RankId(r));
    }
    Workload workload(groups.count);
    workload.add_set("between groups");
    std::vector<std::int64_t> bytes_to(members.size(), 0);  // from the current group
    std::vector<std::int32_t> partners;
    for (std::int32_t group = 0; group < groups.count; ++group) {
        partners.clear();
        for (const RankId rank : members[static_cast<std::size_t>(group)]) {
            for (const Flow& flow : problem.flows(rank)) {
                const std::int32_t to = groups.of_rank[flow.partner.index()];
                if (to <= group) continue;
                std::int64_t& bytes = bytes_to[static_cast<std::size_t>(to)];
                if (bytes == 0) partners.push_back(to);
                bytes += flow.size_bytes;
            }
        }
        std::ranges::sort(partners);
        for (const std::int32_t to : partners) {
            std::int64_t& bytes = bytes_to[static_cast<std::size_t>(to)];
            for (; bytes > kLargestMessageBytes; bytes -= kLargestMessageBytes) {
                workload.add_message(RankId(group), RankId(to), kLargestMessageBytes);
            }
            workload.add_message(RankId(group), RankId(to), std::exchange(bytes, 0));
        }
    }
    return workload;
}

}  // namespace haichi
