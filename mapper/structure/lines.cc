#include "mapper/structure/lines.h"

namespace haichi {

namespace {

/// Sorts the edges into lines one by one.
class LineFinder {
  public:
    explicit LineFinder(const RankGraph& graph) : graph_(graph), is_partner_(graph.vertex_count(), 0) {
        lines_.of_edge.assign(graph.partner.size(), -1);
    }

    std::optional<Lines> run() {
        std::size_t edges = 0;
        std::size_t not_in_cliques = 0;
        for (std::size_t u = 0; u < graph_.vertex_count(); ++u) {
            mark(u, 1);
            for (std::size_t e = graph_.first[u]; e < graph_.first[u + 1]; ++e) {
                if (lines_.of_edge[e] >= 0) continue;
                ++edges;
                members_.assign({static_cast<std::int32_t>(u), graph_.partner[e]});
                append_common(graph_.partner[e]);
                if (members_.size() > 2 && !is_nearly_clique()) {
                    ++not_in_cliques;
                    members_.resize(2);
                }
                take_members();
                if (work_ > kMostWork) return {};
            }
            mark(u, 0);
        }
        constexpr double kMostNotInCliques = 0.2;
        if (static_cast<double>(not_in_cliques) > kMostNotInCliques * static_cast<double>(edges)) return {};
        return std::move(lines_);
    }

  private:
    static constexpr std::size_t kMostWork = 200'000'000;

    void mark(std::size_t u, std::uint8_t is_partner) {
        for (const std::int32_t v : graph_.partners(u)) is_partner_[static_cast<std::size_t>(v)] = is_partner;
    }

    /// Appends common partners of v and of the marked vertex.
    void append_common(std::int32_t v) {
        for (const std::int32_t x : graph_.partners(static_cast<std::size_t>(v))) {
            if (is_partner_[static_cast<std::size_t>(x)] != 0) members_.push_back(x);
        }
        work_ += graph_.degree(static_cast<std::size_t>(v));
    }

    bool is_nearly_clique() {
        constexpr double kLeastShare = 0.8;
        std::size_t pairs = 0;
        std::size_t edges = 0;
        for_each_pair([&](std::size_t e, std::size_t) {
            ++pairs;
            if (e < graph_.partner.size() && lines_.of_edge[e] < 0) ++edges;
        });
        return static_cast<double>(edges) >= kLeastShare * static_cast<double>(pairs);
    }

    void take_members() {
        for_each_pair([&](std::size_t e, std::size_t back) {
            if (e == graph_.partner.size() || lines_.of_edge[e] >= 0) return;
            lines_.of_edge[e] = lines_.of_edge[back] = lines_.count;
        });
        ++lines_.count;
    }

    template <class F>
    void for_each_pair(F&& f) {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            for (std::size_t j = i + 1; j < members_.size(); ++j) {
                const auto v = static_cast<std::size_t>(members_[i]);
                const auto w = static_cast<std::size_t>(members_[j]);
                f(graph_.entry(v, members_[j]), graph_.entry(w, members_[i]));
            }
        }
        work_ += members_.size() * members_.size();
    }

    const RankGraph& graph_;
    Lines lines_;
    std::vector<std::uint8_t> is_partner_;
    std::vector<std::int32_t> members_;
    std::size_t work_ = 0;
};

}  // namespace

std::optional<Lines> find_lines(const RankGraph& graph) { return LineFinder(graph).run(); }

std::vector<std::size_t> one_edge_of_each_line(const RankGraph& graph, const Lines& lines, std::size_t u) {
    std::vector<std::size_t> edges;
    for (std::size_t e = graph.first[u]; e < graph.first[u + 1]; ++e) {
        bool is_new = true;
        for (const std::size_t other : edges) is_new = is_new && lines.of_edge[other] != lines.of_edge[e];
        if (is_new) edges.push_back(e);
    }
    return edges;
}

double work_of_squares(const RankGraph& graph, const Lines& lines) {
    double work = 0;
    for (std::size_t u = 0; u < graph.vertex_count(); ++u) {
        const auto count = static_cast<double>(one_edge_of_each_line(graph, lines, u).size());
        work += count * count * static_cast<double>(graph.degree(u));
    }
    return work;
}

}  // namespace haichi
