#pragma once

#include "objectives/metrics.h"
#include "objectives/objective.h"

namespace haichi {

/// hop-bytes (TAHB): sum over messages of hops x bytes. Unit byte-hops. O(partners) per move.
class HopBytes {
  public:
    using Value = std::int64_t;
    static constexpr ObjectiveInfo kInfo{
        .name = "hop-bytes",
        .unit = "byte-hops",
        .sentence = "sum over messages of hops(route) * bytes (TAHB); lower when partners are near",
        .report_key = "hop_bytes",
        .is_quadratic_assignment = true};

    HopBytes(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    void reset(const Mapping& mapping) { value_ = value_from_scratch(mapping); }

    Change propose(const Mapping& mapping, const Move& move) {
        pending_ = symmetric_ && move.size() <= 2 ? symmetric_change(mapping, move) : directed_change(mapping, move);
        value_ += pending_;
        return {static_cast<double>(pending_) * per_message_, 0};
    }
    void commit() {}
    void rollback() { value_ -= pending_; }

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t companion() const { return 0; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] Value value_in(const Metrics& metrics) const { return metrics.hop_bytes; }
    [[nodiscard]] std::int64_t companion_from_scratch(const Mapping&) const { return 0; }
    /// The sorted-distance bound: each rank's partners, heaviest first, on the nearest places, each pair counted from
    /// both its ends and halved.
    [[nodiscard]] std::optional<Value> lower_bound() const;
    [[nodiscard]] double in_unit(Value value) const { return static_cast<double>(value); }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    /// Flows hold both directions of a pair, so one distance does for both. A swap leaves the distance of the two as it
    /// was, so at most the partners elsewhere count.
    std::int64_t symmetric_change(const Mapping& mapping, const Move& move) const {
        const HopDistance& hops = problem_->hop_distance();
        const RankId other = move.size() > 1 ? move[1].rank : RankId();
        std::int64_t change = change_of(hops, mapping, move[0], other);
        if (move.size() > 1) change += change_of(hops, mapping, move[1], move[0].rank);
        return change;
    }
    std::int64_t change_of(const HopDistance& hops, const Mapping& mapping, const Relocation& moved,
                           RankId other) const {
        std::int64_t change = 0;
        if (const std::uint8_t* table = hops.table8()) {
            const std::uint8_t* to = table + moved.to_node.index() * static_cast<std::size_t>(problem_->node_count());
            const std::uint8_t* from =
                table + moved.from_node.index() * static_cast<std::size_t>(problem_->node_count());
            for (const Flow& flow : problem_->flows(moved.rank)) {
                if (flow.partner == other) continue;
                const std::size_t at = mapping.node(flow.partner).index();
                change += flow.size_bytes * (std::int64_t{to[at]} - from[at]);
            }
            return change;
        }
        for (const Flow& flow : problem_->flows(moved.rank)) {
            if (flow.partner == other) continue;
            const NodeId at = mapping.node(flow.partner);
            change += flow.size_bytes * (hops(moved.to_node, at) - hops(moved.from_node, at));
        }
        return change;
    }
    /// Any routes, any length of move.
    std::int64_t directed_change(const Mapping& mapping, const Move& move) const;

    const Problem* problem_;
    bool symmetric_;
    double per_message_;
    std::int64_t value_ = 0;
    std::int64_t pending_ = 0;
};

}  // namespace haichi
