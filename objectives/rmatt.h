#pragma once

#include "objectives/hop_bytes.h"
#include "objectives/link_load.h"
#include "objectives/sliced_collisions.h"

namespace haichi {

/// rmatt (RMATT-O2F, on the real topology): hop-bytes times the largest link load, all sets together. Unit byte-hops *
/// bytes, exact in 128 bits.
class Rmatt {
  public:
    using Value = unsigned __int128;
    static constexpr ObjectiveInfo kInfo{
        .name = "rmatt",
        .unit = "byte-hops*bytes",
        .sentence = "hop-bytes * max over links of the bytes routed over the link (RMATT-O2F)",
        .report_key = "rmatt"};

    Rmatt(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    void reset(const Mapping& mapping);
    Change propose(const Mapping& mapping, const Move& move);
    void commit() {
        if (sliced_) sliced_->commit();
    }
    void rollback() {
        hop_bytes_.rollback();
        if (sliced_) return sliced_->rollback();
        loads_.undo();
    }

    [[nodiscard]] Value value() const { return product(hop_bytes_.value(), largest_load()); }
    [[nodiscard]] std::int64_t smoothing() const { return 0; }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] Value value_in(const Metrics& metrics) const { return metrics.rmatt(); }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping&) const { return 0; }
    [[nodiscard]] std::optional<Value> lower_bound() const;
    [[nodiscard]] double in_unit(Value value) const { return static_cast<double>(value); }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    [[nodiscard]] std::int64_t largest_load() const { return sliced_ ? sliced_->value() : loads_.largest(); }
    static Value product(std::int64_t hop_bytes, std::int64_t largest_load) {
        return static_cast<Value>(hop_bytes) * static_cast<Value>(largest_load);
    }

    const Problem* problem_;
    HopBytes hop_bytes_;
    LinkLoads loads_;
    std::optional<SlicedCollisions> sliced_;  ///< replaces loads_ if it suits the problem
    /// Converts to the unit of changes: one message-hop at the default placement's largest load counts as one message
    /// of mean size.
    double per_message_;
};

/// rmatt-3d: rmatt on the job's logical torus, which the RMATT tool assumes for a Tofu machine. The search uses the
/// logical torus. Reports show the result on the real topology.
class Rmatt3d : public Rmatt {
  public:
    static constexpr ObjectiveInfo kInfo{
        .name = "rmatt-3d",
        .unit = "byte-hops*bytes",
        .sentence = "rmatt on the job's logical torus, as in the RMATT tool; reports use the real topology",
        .report_key = "rmatt",
        .needs_logical_torus = true};

    /// The bound and the search apply to the logical torus only.
    [[nodiscard]] static constexpr bool is_searched_elsewhere() { return true; }

    Rmatt3d(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    /// The value on the real topology, which the metrics describe.
    [[nodiscard]] Value value_in(const Metrics& metrics) const { return metrics.rmatt(); }

  private:
    Rmatt3d(std::shared_ptr<const Problem> logical, const ObjectiveSpec& spec, const Mapping& default_placement);

    std::shared_ptr<const Problem> logical_;
};

}  // namespace haichi
