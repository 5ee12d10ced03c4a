#include "objectives/metrics.h"

#include <algorithm>

namespace haichi {

namespace {

/// Counts messages and bytes per link, for one set at a time.
class SetTally {
  public:
    SetTally(const Problem& problem, const Mapping& mapping)
        : problem_(&problem),
          mapping_(&mapping),
          hops_are_links_(problem.network().hops_are_links()),
          entries_(static_cast<std::size_t>(problem.network().link_count())) {}

    /// Calls f(message, links of its route) for every message of set t that can cross a link.
    template <class F>
    void for_each_route(std::size_t t, F&& f) {
        const auto visit = [&](const Message& m) {
            links_.clear();
            problem_->network().append_route(mapping_->node(m.source), mapping_->node(m.destination), links_);
            f(m, std::span<const LinkId>(links_));
        };
        const std::span<const Message> messages = problem_->workload().messages(t);
        if (!problem_->network().routes().are_searched_for()) {
            for (const Message& m : messages) {
                if (m.crosses_network()) visit(m);
            }
            return;
        }
        // Sorts by destination, because one search serves all messages to a node. Most of it also serves the other
        // nodes of the switch.
        std::vector<const Message*> by_destination;
        for (const Message& m : messages) {
            if (m.crosses_network()) by_destination.push_back(&m);
        }
        std::ranges::stable_sort(by_destination, {},
                                 [this](const Message* m) { return mapping_->node(m->destination); });
        for (const Message* m : by_destination) visit(*m);
    }
    /// Counts the messages of set t. Returns the set's hop-bytes.
    std::int64_t fill(std::size_t t) {
        std::int64_t hop_bytes = 0;
        for_each_route(t, [&](const Message& m, std::span<const LinkId> links) {
            const auto hops = hops_are_links_
                                  ? static_cast<std::int64_t>(links.size())
                                  : problem_->network().hops(mapping_->node(m.source), mapping_->node(m.destination));
            hop_bytes += m.size_bytes * hops;
            for (const LinkId link : links) {
                Entry& entry = entries_[link.index()];
                if (entry.count++ == 0) used_.push_back(link);
                entry.bytes += m.size_bytes;
            }
        });
        return hop_bytes;
    }
    void clear() {
        for (const LinkId link : used_) entries_[link.index()] = {};
        used_.clear();
    }
    [[nodiscard]] std::int64_t count(LinkId link) const { return entries_[link.index()].count; }
    [[nodiscard]] std::int64_t bytes(LinkId link) const { return entries_[link.index()].bytes; }
    /// Links with messages, in the order they were first used.
    [[nodiscard]] std::span<const LinkId> used() const { return used_; }

  private:
    struct Entry {
        std::int64_t count = 0;
        std::int64_t bytes = 0;
    };

    const Problem* problem_;
    const Mapping* mapping_;
    bool hops_are_links_;
    std::vector<Entry> entries_;  ///< per link
    std::vector<LinkId> used_;
    std::vector<LinkId> links_;
};

}  // namespace

std::string unit_on(const Network& network, std::string_view unit) {
    const bool is_weighted = network.has_stated_distances() && unit.find("hops") != std::string_view::npos;
    return (is_weighted ? "weighted " : "") + std::string(unit);
}

Metrics measure(const Problem& problem, const Mapping& mapping) {
    Metrics metrics;
    metrics.link_bytes.assign(static_cast<std::size_t>(problem.network().link_count()), 0);
    SetTally tally(problem, mapping);
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        metrics.hop_bytes += tally.fill(t);
        std::int64_t contention = 0;
        std::int64_t most_bytes = 0;
        std::int64_t most_scaled = 0;
        for (const LinkId link : tally.used()) {
            contention = std::max(contention, tally.count(link));
            most_bytes = std::max(most_bytes, tally.bytes(link));
            most_scaled = std::max(most_scaled, tally.bytes(link) * problem.link_scale(link));
            metrics.link_bytes[link.index()] += tally.bytes(link);
            metrics.excess_bytes += (tally.count(link) - 1) * problem.set_largest_bytes(t);
        }
        // Messages of one size cost most on the most loaded link. Messages of mixed sizes are checked one by one.
        std::int64_t collision_cost = most_scaled;
        if (!problem.set_is_uniform(t)) {
            collision_cost = 0;
            tally.for_each_route(t, [&](const Message& m, std::span<const LinkId> links) {
                for (const LinkId link : links) {
                    collision_cost =
                        std::max(collision_cost, m.size_bytes * tally.count(link) * problem.link_scale(link));
                }
            });
        }
        metrics.tac3_scaled += collision_cost;
        metrics.tac3_bytes_scaled += most_scaled;
        metrics.set_contention.push_back(contention);
        metrics.set_max_link_bytes.push_back(most_bytes);
        tally.clear();
    }
    if (!metrics.link_bytes.empty()) metrics.max_link_bytes = std::ranges::max(metrics.link_bytes);
    metrics.tac3_seconds = static_cast<double>(metrics.tac3_scaled) / problem.scale_per_second();
    metrics.tac3_bytes_seconds = static_cast<double>(metrics.tac3_bytes_scaled) / problem.scale_per_second();
    return metrics;
}

std::vector<HotLink> most_loaded_links(const Problem& problem, const Mapping& mapping, std::size_t most,
                                       std::size_t most_messages) {
    const auto scaled = [&](const HotLink& hot) { return hot.load_bytes * problem.link_scale(hot.link); };
    const auto worse = [&](const HotLink& a, const HotLink& b) {
        if (scaled(a) != scaled(b)) return scaled(a) > scaled(b);
        return a.set != b.set ? a.set < b.set : a.link < b.link;
    };
    SetTally tally(problem, mapping);
    std::vector<HotLink> most_loaded;
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        tally.fill(t);
        for (const LinkId link : tally.used()) {
            most_loaded.push_back({link, t, tally.count(link), tally.bytes(link), 0, {}});
        }
        const std::size_t keep = std::min(most, most_loaded.size());
        std::ranges::partial_sort(most_loaded, most_loaded.begin() + static_cast<std::ptrdiff_t>(keep), worse);
        most_loaded.resize(keep);
        tally.clear();
    }
    for (HotLink& hot : most_loaded) hot.seconds = static_cast<double>(scaled(hot)) / problem.scale_per_second();
    // Finds the messages of the hot links, in one more pass over each set that has hot links.
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        std::vector<HotLink*> here;
        for (HotLink& hot : most_loaded) {
            if (hot.set == t) here.push_back(&hot);
        }
        if (here.empty()) continue;
        tally.for_each_route(t, [&](const Message& m, std::span<const LinkId> links) {
            for (HotLink* hot : here) {
                if (hot->messages.size() < most_messages && std::ranges::find(links, hot->link) != links.end()) {
                    hot->messages.push_back(m);
                }
            }
        });
    }
    return most_loaded;
}

}  // namespace haichi
