// An example of a plug-in with a user-defined objective. The objective is for messages so small that only latency
// matters. A communication set then takes as long as its longest route. The value is the number of hops on the longest
// route of a set, summed over all sets.
//
//   c++ -std=c++20 -O3 -fPIC -shared -I PREFIX/include set_diameter.cc -o libset_diameter.so
//   haichi map -m fx10-kyushu --shape 1x2x4x2x3x2 -w cg64.json --objective ./libset_diameter.so:set-diameter
#include <haichi/plugin.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace haichi::plugin;

class SetDiameter {
  public:
    using Value = std::int64_t;
    static constexpr ObjectiveInfo kInfo{"set-diameter", "hops", "sum over sets of the most hops of any message"};

    SetDiameter(const Problem& problem, const Placement&)
        : problem_(problem), counts_(problem.set_count()), diameters_(problem.set_count()) {
        const auto longest = static_cast<std::size_t>(problem.diameter());
        for (auto& count : counts_) count.assign(longest + 1, 0);
    }

    void reset(const Placement& placement) {
        for (auto& count : counts_) std::ranges::fill(count, 0);
        hops_ = 0;
        for (std::size_t t = 0; t < problem_.set_count(); ++t) {
            for (const Message& m : problem_.messages(t)) {
                if (m.crosses_network()) count(t, hops(placement.node(m.source), placement.node(m.destination)), +1);
            }
            diameters_[t] = diameter(t);
        }
        value_ = sum();
    }

    Change propose(const Placement& placement, Move move) {
        pending_.clear();
        const Value value = value_;
        const std::int64_t all_hops = hops_;
        for_each_moved_message(problem_, placement, move, [&](const MovedMessage& m) {
            pending_.push_back({m.set, hops(m.old_source, m.old_destination), hops(m.new_source, m.new_destination)});
            apply(pending_.back(), +1);
        });
        value_before_ = value;
        value_ = sum();
        // The unit is one hop. The smoothing term is the sum of all hops, which guides the search on plateaus.
        return {static_cast<double>(value_ - value), static_cast<double>(hops_ - all_hops)};
    }
    void rollback() {
        for (auto moved = pending_.rbegin(); moved != pending_.rend(); ++moved) apply(*moved, -1);
        value_ = value_before_;
    }

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t smoothing() const { return hops_; }
    [[nodiscard]] Value value_from_scratch(const Placement& placement) const { return from_scratch(placement).first; }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Placement& placement) const {
        return from_scratch(placement).second;
    }
    /// Each set with a message that cannot stay within a node takes at least one hop.
    [[nodiscard]] std::optional<Value> lower_bound() const {
        Value bound = 0;
        for (std::size_t t = 0; t < problem_.set_count(); ++t) bound += problem_.unavoidable_bytes(t) > 0 ? 1 : 0;
        return bound;
    }
    void append_hot_ranks(const Placement& placement, std::vector<Rank>& ranks) const {
        for (std::size_t t = 0; t < problem_.set_count(); ++t) {
            for (const Message& m : problem_.messages(t)) {
                if (!m.crosses_network()) continue;
                if (hops(placement.node(m.source), placement.node(m.destination)) != diameters_[t]) continue;
                ranks.push_back(m.source);
                ranks.push_back(m.destination);
            }
        }
    }

  private:
    struct Moved {
        std::size_t set;
        std::int32_t old_hops;
        std::int32_t new_hops;
    };

    [[nodiscard]] std::int32_t hops(Node a, Node b) const { return problem_.hops(a, b); }
    void count(std::size_t set, std::int32_t length, std::int32_t change) {
        counts_[set][static_cast<std::size_t>(length)] += change;
        hops_ += std::int64_t{change} * length;
    }
    void apply(const Moved& moved, std::int32_t direction) {
        count(moved.set, moved.old_hops, -direction);
        count(moved.set, moved.new_hops, direction);
        diameters_[moved.set] = diameter(moved.set);
    }
    [[nodiscard]] std::int32_t diameter(std::size_t set) const {
        auto longest = static_cast<std::int32_t>(counts_[set].size()) - 1;
        while (longest > 0 && counts_[set][static_cast<std::size_t>(longest)] == 0) --longest;
        return longest;
    }
    [[nodiscard]] Value sum() const {
        Value value = 0;
        for (const std::int32_t diameter : diameters_) value += diameter;
        return value;
    }
    [[nodiscard]] std::pair<Value, std::int64_t> from_scratch(const Placement& placement) const {
        Value value = 0;
        std::int64_t all_hops = 0;
        for (std::size_t t = 0; t < problem_.set_count(); ++t) {
            std::int32_t longest = 0;
            for (const Message& m : problem_.messages(t)) {
                if (!m.crosses_network()) continue;
                const std::int32_t length = hops(placement.node(m.source), placement.node(m.destination));
                longest = std::max(longest, length);
                all_hops += length;
            }
            value += longest;
        }
        return {value, all_hops};
    }

    Problem problem_;
    std::vector<std::vector<std::int32_t>> counts_;  ///< [set][hops]: number of messages with a route of so many hops
    std::vector<std::int32_t> diameters_;
    std::int64_t hops_ = 0;
    Value value_ = 0;
    Value value_before_ = 0;
    std::vector<Moved> pending_;
};

}  // namespace

HAICHI_PLUGIN_OBJECTIVES(SetDiameter)
