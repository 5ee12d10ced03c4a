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
        .sentence = "sum over messages of hops(route) * bytes; lower when communicating ranks are near",
        .report_key = "hop_bytes",
        .is_quadratic_assignment = true};

    HopBytes(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    void reset(const Mapping& mapping) { value_ = value_from_scratch(mapping); }

    [[gnu::always_inline]] inline Change propose(const Mapping& mapping, const Move& move) {
        pending_ = change_by(mapping, move);
        value_ += pending_;
        return {in_messages(pending_), 0};
    }
    void commit() {}
    void rollback() { value_ -= pending_; }

    [[nodiscard, gnu::always_inline]] inline Value change_by(const Mapping& mapping, const Move& move) const {
        return symmetric_ && move.size() <= 2 ? symmetric_change(mapping, move) : directed_change(mapping, move);
    }
    template <class Seen>
    [[nodiscard]] Value correction(const Mapping& mapping, const Move& move, Seen&& seen) const {
        const HopDistance& hops = problem_->hop_distance();
        Value sum = 0;
        for (const Relocation& moved : move) {
            const auto add = [&](RankId partner, Value size_bytes, bool outgoing) {
                const NodeId at = mapping.node(partner);
                const NodeId was = seen(partner);
                if (at == was) return;
                const auto change = [&](NodeId there) {
                    return outgoing ? hops(moved.to_node, there) - hops(moved.from_node, there)
                                    : hops(there, moved.to_node) - hops(there, moved.from_node);
                };
                sum += size_bytes * (change(at) - change(was));
            };
            if (symmetric_) {
                for (const Flow& flow : problem_->flows(moved.rank)) add(flow.partner, flow.size_bytes, true);
            } else {
                for (const IncidentMessage& m : problem_->incident(moved.rank)) {
                    add(m.partner, m.size_bytes, m.outgoing());
                }
            }
        }
        return sum;
    }
    [[nodiscard]] double in_messages(Value value) const { return static_cast<double>(value) * per_message_; }

    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] std::int64_t smoothing() const { return 0; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] Value value_in(const Metrics& metrics) const { return metrics.hop_bytes; }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping&) const { return 0; }
    /// The sorted-distance bound: each rank's partners, heaviest first, get the nearest rank slots. The sum is halved,
    /// because each pair is counted from both ends.
    [[nodiscard]] std::optional<Value> lower_bound() const;
    [[nodiscard]] double in_unit(Value value) const { return static_cast<double>(value); }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    /// The change for symmetric distances. A flow contains both directions of a pair, so one distance suffices. A swap
    /// keeps the distance between the two swapped ranks, so only their other partners matter.
    [[nodiscard, gnu::always_inline]] inline std::int64_t symmetric_change(const Mapping& mapping,
                                                                           const Move& move) const {
        const RankId other = move.size() > 1 ? move[1].rank : RankId();
        std::int64_t change = 0;
        if (table_ != nullptr) {
            change = change_by_table(mapping, move[0], other);
            if (move.size() > 1) change += change_by_table(mapping, move[1], move[0].rank);
        } else {
            change = change_of(mapping, move[0], other);
            if (move.size() > 1) change += change_of(mapping, move[1], move[0].rank);
        }
        return change;
    }
    [[nodiscard, gnu::always_inline]] inline std::int64_t change_by_table(const Mapping& mapping,
                                                                          const Relocation& moved, RankId other) const {
        const std::uint8_t* const to = table_ + moved.to_node.index() * node_count_;
        const std::uint8_t* const from = table_ + moved.from_node.index() * node_count_;
        std::int64_t change = 0;
        for (const Flow& flow : problem_->flows(moved.rank)) {
            const std::size_t at = mapping.node(flow.partner).index();
            const std::int64_t counted_bytes = flow.partner == other ? 0 : flow.size_bytes;
            change += counted_bytes * (to[at] - from[at]);
        }
        return change;
    }
    [[nodiscard]] std::int64_t change_of(const Mapping& mapping, const Relocation& moved, RankId other) const {
        const HopDistance& hops = problem_->hop_distance();
        std::int64_t change = 0;
        for (const Flow& flow : problem_->flows(moved.rank)) {
            if (flow.partner == other) continue;
            const NodeId at = mapping.node(flow.partner);
            change += flow.size_bytes * (hops(moved.to_node, at) - hops(moved.from_node, at));
        }
        return change;
    }
    /// The change for any routes and for moves of any number of ranks.
    std::int64_t directed_change(const Mapping& mapping, const Move& move) const;

    const Problem* problem_;
    const std::uint8_t* table_;  ///< HopDistance::table8()
    std::size_t node_count_;
    bool symmetric_;
    double per_message_;
    std::int64_t value_ = 0;
    std::int64_t pending_ = 0;
};

}  // namespace haichi
