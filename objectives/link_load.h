#pragma once

#include <algorithm>

#include "objectives/lazy_max.h"
#include "objectives/metrics.h"
#include "objectives/objective.h"

namespace haichi {

/// Appends both ends of every message whose route has a link for which `is_wanted` holds.
template <class IsWanted>
void append_ranks_over_links(const Problem& problem, const Mapping& mapping, std::vector<RankId>& ranks,
                             IsWanted&& is_wanted) {
    std::vector<LinkId> scratch;
    for (const Message& m : problem.workload().messages()) {
        if (!m.crosses_network()) continue;
        const auto links = problem.route(mapping.node(m.source), mapping.node(m.destination), scratch);
        if (!std::ranges::any_of(links, is_wanted)) continue;
        ranks.push_back(m.source);
        ranks.push_back(m.destination);
    }
}

/// The bytes of all sets that are routed over each link, and the largest load, updated move by move. max-link-load and
/// rmatt share this class.
class LinkLoads {
  public:
    explicit LinkLoads(const Problem& problem);

    void reset(const Mapping& mapping);
    /// Applies the move. largest() then returns the value of the changed mapping.
    void apply(const Mapping& mapping, const Move& move);
    /// Reverts the last apply().
    void undo();

    [[nodiscard]] std::int64_t largest() const { return largest_; }
    /// Sum over links of the bytes above `floor`.
    [[nodiscard]] std::int64_t excess() const { return excess_; }
    [[nodiscard]] std::int64_t load(LinkId link) const { return loads_[link.index()]; }

    /// A lower bound on the largest load of any mapping. The links of a node must carry all bytes that one rank sends.
    /// All links together must carry the bound of hop-bytes.
    [[nodiscard]] static std::int64_t lower_bound(const Problem& problem);
    [[nodiscard]] std::int64_t floor() const { return floor_; }

    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const;

  private:
    void route_message(NodeId s, NodeId d, std::int64_t change);

    const Problem* problem_;
    std::int64_t floor_;
    LazyMax loads_;
    std::int64_t largest_ = 0;
    std::int64_t largest_before_ = 0;
    std::int64_t excess_ = 0;
    std::vector<MovedMessage> pending_;
    std::vector<LinkId> scratch_;
};

/// max-link-load: the most bytes routed over one link per iteration. Unit bytes.
class MaxLinkLoad {
  public:
    using Value = std::int64_t;
    static constexpr ObjectiveInfo kInfo{
        .name = "max-link-load",
        .unit = "bytes",
        .sentence = "max over links of the bytes routed over the link, all sets together",
        .report_key = "max_link_bytes",
        .usual_next = "hop-bytes"};

    MaxLinkLoad(const Problem& problem, const ObjectiveSpec& spec, const Mapping& default_placement);

    void reset(const Mapping& mapping) { loads_.reset(mapping); }
    Change propose(const Mapping& mapping, const Move& move);
    void commit() {}
    void rollback() { loads_.undo(); }

    [[nodiscard]] Value value() const { return loads_.largest(); }
    [[nodiscard]] std::int64_t smoothing() const { return loads_.excess(); }
    [[nodiscard]] Value value_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] Value value_in(const Metrics& metrics) const { return metrics.max_link_bytes; }
    [[nodiscard]] std::int64_t smoothing_from_scratch(const Mapping& mapping) const;
    [[nodiscard]] std::optional<Value> lower_bound() const { return loads_.floor(); }
    [[nodiscard]] double in_unit(Value value) const { return static_cast<double>(value); }
    void append_hot_ranks(const Mapping& mapping, std::vector<RankId>& ranks) const {
        loads_.append_hot_ranks(mapping, ranks);
    }

  private:
    const Problem* problem_;
    LinkLoads loads_;
    double per_message_;
};

}  // namespace haichi
