#include "mapper/partition/evolution.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/usable_threads.h"
#include "mapper/partition/multilevel.h"

namespace haichi {

namespace {

constexpr std::int64_t kMostPartitions = 4;
/// Number of combinations of partitions made at the same time. It does not depend on the number of threads.
constexpr std::int64_t kBatch = 4;
/// Number of consecutive batches without a better partition after which the population has converged.
constexpr int kMostVain = 12;

/// The state of one call of evolved_partition().
class Evolution {
  public:
    Evolution(const PartitionGraph& graph, const Blocks& blocks, std::uint64_t seed, const PartitionEffort& effort)
        : graph_(graph), blocks_(blocks), seed_(seed), random_(seed, 1), effort_(effort) {}

    FoundPartition run() {
        population_.resize(1);
        construct(0);
        population_.resize(static_cast<std::size_t>(affordable_partitions()));
        const auto count = static_cast<int>(population_.size());
#pragma omp parallel for schedule(dynamic, 1) \
    num_threads(usable_threads(std::min <int>(effort_.threads, kMostPartitions)))
        for (int k = 1; k < count; ++k) {
            if (effort_.may_go_on()) construct(static_cast<std::size_t>(k));
        }
        std::erase_if(population_, [](const Member& member) { return member.partition.block.empty(); });
        for (const Member& member : population_) evaluations_ += member.evaluations;
        while (is_effort_left()) combine_some();
        const auto best = std::ranges::min_element(
            population_, [](const Member& a, const Member& b) { return a.partition.is_better_than(b.partition); });
        return {std::move(best->partition), evaluations_};
    }

  private:
    struct Member {
        Partition partition;
        std::int64_t evaluations = 0;
    };
    struct Child {
        std::size_t better = 0, worse = 0;  ///< the parents
        std::uint64_t seed = 0;
        Member member{};
    };

    [[nodiscard]] bool is_effort_left() const {
        const bool is_done = std::ranges::any_of(population_, [](const Member& member) {
            return member.partition.cost == 0 && member.partition.overload == 0;
        });
        if (is_done || vain_ >= kMostVain) return false;
        return effort_.may_go_on() && (effort_.end.has_value() || evaluations_ < effort_.evaluations);
    }

    void construct(std::size_t k) {
        Multilevel multilevel(graph_, blocks_, seed_ + k * 0x9e3779b97f4a7c15ULL, may_go_on_);
        constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
        population_[k].partition = multilevel.construct(effort_.end ? kAny : effort_.evaluations / 2);
        population_[k].evaluations = multilevel.evaluations();
    }

    /// The number of new partitions that about half of the effort allows.
    [[nodiscard]] std::int64_t affordable_partitions() const {
        double all = 0;
        if (effort_.end) {
            const std::chrono::duration<double> gone = PartitionEffort::Clock::now() - begin_;
            const std::chrono::duration<double> limit = *effort_.end - begin_;
            all = limit.count() * effort_.threads / std::max(gone.count(), 1e-6);
        } else {
            all = static_cast<double>(effort_.evaluations) /
                  static_cast<double>(std::max<std::int64_t>(population_.front().evaluations, 1));
        }
        return std::clamp<std::int64_t>(std::llround(std::min(all / 2, 1e6)), 1, kMostPartitions);
    }

    void combine_some() {
        const auto count = static_cast<std::uint32_t>(population_.size());
        std::vector<Child> children(kBatch);
        for (Child& child : children) {
            child.better = random_.below(count);
            child.worse = random_.below(count);
            child.seed = random_.next();
            if (population_[child.worse].partition.is_better_than(population_[child.better].partition)) {
                std::swap(child.better, child.worse);
            }
        }
#pragma omp parallel for schedule(dynamic, 1) num_threads(usable_threads(std::min <int>(effort_.threads, kBatch)))
        for (int k = 0; k < static_cast<int>(kBatch); ++k) {
            if (!effort_.may_go_on()) continue;
            Child& child = children[static_cast<std::size_t>(k)];
            Multilevel multilevel(graph_, blocks_, child.seed, may_go_on_);
            child.member.partition =
                multilevel.combine(population_[child.better].partition, population_[child.worse].partition);
            child.member.evaluations = multilevel.evaluations();
        }
        ++vain_;
        for (Child& child : children) {
            // Counts coarsening as well, so that a partition without a boundary also uses up effort.
            evaluations_ += child.member.evaluations + static_cast<std::int64_t>(graph_.vertex_count());
            if (child.member.partition.block.empty()) continue;
            Partition& replaced = population_[child.worse].partition;
            if (!child.member.partition.is_better_than(replaced)) continue;
            replaced = std::move(child.member.partition);
            vain_ = 0;
        }
    }

    const PartitionEffort::Clock::time_point begin_ = PartitionEffort::Clock::now();
    const PartitionGraph& graph_;
    const Blocks& blocks_;
    const std::uint64_t seed_;
    Random random_;
    const PartitionEffort& effort_;
    const std::function<bool()> may_go_on_ = [this] { return effort_.may_go_on(); };
    std::vector<Member> population_;
    std::int64_t evaluations_ = 0;
    int vain_ = 0;
};

}  // namespace

PartitionEffort PartitionEffort::part(double share) const {
    PartitionEffort part = *this;
    part.evaluations = static_cast<std::int64_t>(share * static_cast<double>(evaluations));
    if (end) {
        const Clock::time_point now = Clock::now();
        part.end = now + std::chrono::duration_cast<Clock::duration>(share * (*end - now));
    }
    return part;
}

FoundPartition evolved_partition(const PartitionGraph& graph, const Blocks& blocks, std::uint64_t seed,
                                 const PartitionEffort& effort) {
    return Evolution(graph, blocks, seed, effort).run();
}

FoundPartition improved_partition(const PartitionGraph& graph, const Blocks& blocks, Partition first,
                                  std::uint64_t seed, const PartitionEffort& effort) {
    const std::function<bool()> may_go_on = [&effort] { return effort.may_go_on(); };
    Multilevel multilevel(graph, blocks, seed, may_go_on);
    constexpr int kMostVain = 4;
    int vain = 0;
    do {
        Partition next = multilevel.combine(first, first);
        vain = next.is_better_than(first) ? 0 : vain + 1;
        if (vain == 0) first = std::move(next);
    } while (vain < kMostVain && effort.may_go_on() && (effort.end || multilevel.evaluations() < effort.evaluations));
    return {std::move(first), multilevel.evaluations()};
}

}  // namespace haichi
