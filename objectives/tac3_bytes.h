#pragma once

#include <vector>

#include "objectives/collisions.h"
#include "objectives/set_loads.h"
#include "objectives/set_sum.h"

namespace haichi {

/// The cost of a set: its largest link load in bytes. For a set with messages of equal size, the counts of messages
/// suffice.
class LoadCost {
  public:
    explicit LoadCost(const Problem& problem);

    void clear();
    void begin(std::size_t set) { collisions_.begin(set); }
    void prefetch(std::size_t set, std::span<const LinkId> links) const { collisions_.prefetch(set, links); }
    void take(std::size_t set, std::span<const LinkId> links, std::int64_t size_bytes) {
        collisions_.take(set, links);
        if (mixed_number_[set] >= 0) change_load({set, links, -size_bytes});
    }
    void bring(std::size_t set, std::span<const LinkId> links, std::int64_t size_bytes) {
        collisions_.bring(set, links);
        if (mixed_number_[set] >= 0) change_load({set, links, size_bytes});
    }
    void keep() {
        collisions_.keep();
        changes_.clear();
    }
    void drop() {
        collisions_.drop();
        for (const LoadChange& change : changes_) add_load({change.set, change.links, -change.bytes});
        changes_.clear();
    }

    template <class NodeOf>
    [[nodiscard]] std::int64_t cost(std::size_t set, NodeOf&&) {
        const std::int32_t mixed = mixed_number_[set];
        if (mixed < 0) return problem_->set_largest_bytes(set) * collisions_.largest_scaled(set);
        return mixed_loads_.largest(static_cast<std::size_t>(mixed));
    }
    [[nodiscard]] std::int64_t least(std::size_t set) const {
        if (mixed_number_[set] >= 0) return bound(set);
        return problem_->set_largest_bytes(set) * collisions_.largest_scaled(set);
    }
    /// The larger of two bounds. The first is the largest message that no mapping keeps inside a node. The second
    /// applies to one rank per node: a rank's sent or received bytes in the set, divided by the links of a node.
    [[nodiscard]] std::int64_t bound(std::size_t set) const { return bound_[set]; }
    [[nodiscard]] bool is_worst(std::size_t set, const Message&, LinkId link, std::int64_t cost) const {
        return scaled_load(set, link) == cost;
    }
    [[nodiscard]] std::int64_t excess() const { return collisions_.excess(); }
    [[nodiscard]] static std::int64_t from_metrics(const Metrics& metrics) { return metrics.tac3_bytes_scaled; }

  private:
    struct LoadChange {
        std::size_t set = 0;
        std::span<const LinkId> links{};
        std::int64_t bytes = 0;
    };
    void change_load(const LoadChange& change) {
        changes_.push_back(change);
        add_load(change);
    }
    void add_load(const LoadChange& change) {
        const auto mixed = static_cast<std::size_t>(mixed_number_[change.set]);
        for (const LinkId link : change.links) {
            mixed_loads_.add(mixed, link.index(), change.bytes * problem_->link_scale(link));
        }
    }
    [[nodiscard]] std::int64_t scaled_load(std::size_t set, LinkId link) const;

    const Problem* problem_;
    Collisions collisions_;
    std::vector<std::int32_t> mixed_number_;  ///< index of a set with mixed sizes in mixed_loads_, or -1
    SetLoads mixed_loads_;                    ///< scaled bytes
    std::vector<LoadChange> changes_;         ///< changes of the trial
    std::vector<std::int64_t> bound_;
};

/// tac3-bytes: sum over sets of the largest link load in bytes, divided by the link bandwidth. This is the collision
/// cost for messages of unequal sizes. Unit seconds per iteration. Equals tac3 on sets with equal sizes.
class Tac3Bytes : public SetSum<LoadCost> {
  public:
    static constexpr ObjectiveInfo kInfo{.name = "tac3-bytes",
                                         .unit = "seconds",
                                         .sentence = "sum over sets of the largest link load in bytes / bandwidth",
                                         .report_key = "tac3_bytes_seconds",
                                         .usual_next = "hop-bytes"};

    Tac3Bytes(const Problem& problem, const ObjectiveSpec&, const Mapping&) : SetSum(problem) {}
};

}  // namespace haichi
