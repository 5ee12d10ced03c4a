#include "objectives/link_queues.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace haichi {

namespace {

constexpr std::size_t kShortRoute = 8;

/// The loads of all links in one set, and the rows of links of the messages' routes.
struct Rows {
    const std::int64_t* loads = nullptr;
    const std::uint32_t* links = nullptr;
    const std::uint32_t* hops = nullptr;
    const TimedMessage* messages = nullptr;
    std::size_t row = 0;
};

/// Short routes are padded to kRow links and read in full, because the length of the next route is unpredictable.
template <std::size_t kRow>
void look_at(const Rows& rows, std::span<LinkQueues::Queue> queues) {
    const std::uint32_t* links = rows.links;
    for (std::size_t i = 0; i<queues.size(); ++i, links += kRow> 0 ? kRow : rows.row) {
        std::uint32_t worst = links[0];
        std::int64_t most = rows.loads[worst];
        const auto look = [&](std::size_t k) __attribute__((always_inline)) {
            const std::int64_t load = rows.loads[links[k]];
            worst = load > most ? links[k] : worst;
            most = load > most ? load : most;
        };
        if constexpr (kRow > 0) {
#pragma GCC unroll 8
            for (std::size_t k = 1; k < kRow; ++k) look(k);
        } else {
            for (std::size_t k = 1; k < rows.hops[i]; ++k) look(k);
        }
        queues[i] = {most, rows.messages[i].link_ticks, worst, rows.hops[i]};
    }
}

}  // namespace

LinkQueues::LinkQueues(const Problem& problem, std::shared_ptr<const TimedMessages> messages)
    : problem_(&problem),
      messages_(std::move(messages)),
      loads_(problem.set_count(), static_cast<std::size_t>(problem.network().link_count()) + 1),
      total_(static_cast<std::size_t>(problem.network().link_count()) + 1, 0),
      current_(problem.set_count(), 0),
      is_moved_(messages_->messages().size(), 0),
      is_touched_(problem.set_count(), 0) {
    const std::size_t count = messages_->messages().size();
    const auto longest = static_cast<std::size_t>(problem.network().longest_route());
    if (count * longest * sizeof(std::uint32_t) <= kRoutesBudgetBytes) row_ = longest;
    links_.assign(count * row_, static_cast<std::uint32_t>(link_count()));
    hops_.assign(count, 0);
    for (std::vector<Queue>& queues : queues_) queues.resize(messages_->waited_count());
    set_of_message_.resize(count);
    for (std::size_t t = 0; t < problem.set_count(); ++t) {
        const TimedMessages::Set& set = messages_->sets()[t];
        std::fill(set_of_message_.begin() + static_cast<std::ptrdiff_t>(set.first),
                  set_of_message_.begin() + static_cast<std::ptrdiff_t>(set.end), static_cast<std::uint32_t>(t));
    }
    index_ranks();
}

void LinkQueues::index_ranks() {
    const auto messages = messages_->messages();
    first_of_rank_.assign(static_cast<std::size_t>(problem_->rank_count()) + 1, 0);
    for (const TimedMessage& m : messages) {
        ++first_of_rank_[static_cast<std::size_t>(m.source) + 1];
        ++first_of_rank_[static_cast<std::size_t>(m.destination) + 1];
    }
    std::partial_sum(first_of_rank_.begin(), first_of_rank_.end(), first_of_rank_.begin());
    of_rank_.resize(first_of_rank_.back());
    std::vector<std::size_t> next(first_of_rank_);
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        of_rank_[next[static_cast<std::size_t>(messages[i].source)]++] = i;
        of_rank_[next[static_cast<std::size_t>(messages[i].destination)]++] = i;
    }
}

void LinkQueues::place(std::span<const NodeId> node_of_rank) {
    nodes_.assign(node_of_rank.begin(), node_of_rank.end());
    loads_ = SetLinkTable<std::int64_t>(problem_->set_count(), total_.size());
    std::ranges::fill(total_, 0);
    squares_ = 0;
    for (std::size_t i = 0; i < messages_->messages().size(); ++i) {
        find_route(i);
        load_links<true>(i);
    }
    for (std::size_t t = 0; t < problem_->set_count(); ++t) look_at_set(t);
}

void LinkQueues::move(const Move& move) {
    moved_ = move;
    collect_moved(move);
    links_before_.resize(std::max(links_before_.size(), moved_messages_.size() * row_));
    auto before = links_before_.begin();
    for (Moved& moved : moved_messages_) {
        moved.hops_before = hops_[moved.message];
        before = std::copy_n(links_.begin() + static_cast<std::ptrdiff_t>(moved.message * row_), row_, before);
        load_links<false>(moved.message);
    }
    for (const Relocation& one : move) nodes_[one.rank.index()] = one.to_node;
    for (const Moved& moved : moved_messages_) {
        find_route(moved.message);
        load_links<true>(moved.message);
    }
    for (const std::size_t set : touched_sets_) look_at_set(set);
}

void LinkQueues::undo() {
    for (const Moved& moved : moved_messages_) load_links<false>(moved.message);
    for (const Relocation& one : moved_) nodes_[one.rank.index()] = one.from_node;
    auto before = links_before_.begin();
    for (const Moved& moved : moved_messages_) {
        hops_[moved.message] = moved.hops_before;
        std::copy_n(before, row_, links_.begin() + static_cast<std::ptrdiff_t>(moved.message * row_));
        before += static_cast<std::ptrdiff_t>(row_);
        load_links<true>(moved.message);
    }
    for (const std::size_t set : touched_sets_) current_[set] ^= 1;
}

/// Collects the messages of the moved ranks, each once, and the sets of these messages.
void LinkQueues::collect_moved(const Move& move) {
    for (const std::size_t set : touched_sets_) is_touched_[set] = 0;
    touched_sets_.clear();
    moved_messages_.clear();
    for (const Relocation& one : move) {
        for (std::size_t k = first_of_rank_[one.rank.index()]; k < first_of_rank_[one.rank.index() + 1]; ++k) {
            const std::uint32_t message = of_rank_[k];
            if (is_moved_[message] != 0) continue;
            is_moved_[message] = 1;
            moved_messages_.push_back({message, 0});
            const std::size_t set = set_of(message);
            if (is_touched_[set] != 0) continue;
            is_touched_[set] = 1;
            touched_sets_.push_back(set);
        }
    }
    for (const Moved& moved : moved_messages_) is_moved_[moved.message] = 0;
}

void LinkQueues::find_route(std::size_t message) {
    const TimedMessage& m = messages_->messages()[message];
    const auto route = problem_->route(node(m.source), node(m.destination), scratch_);
    hops_[message] = static_cast<std::uint32_t>(route.size());
    std::uint32_t* const row = links_.data() + message * row_;
    for (std::size_t k = 0; k < row_; ++k) {
        row[k] = static_cast<std::uint32_t>(k < route.size() ? route[k].index() : link_count());
    }
}

std::span<const std::uint32_t> LinkQueues::links_of(std::size_t message) {
    if (row_ > 0) return {links_.data() + message * row_, hops_[message]};
    const TimedMessage& m = messages_->messages()[message];
    route_.clear();
    for (const LinkId link : problem_->route(node(m.source), node(m.destination), scratch_)) {
        route_.push_back(static_cast<std::uint32_t>(link.index()));
    }
    return route_;
}

template <bool kAdds>
void LinkQueues::load_links(std::size_t message) {
    const std::size_t set = set_of(message);
    if (loads_.is_dense()) {
        std::int64_t* const row = &loads_.at(set, 0);
        load_links<kAdds>(message, [row](std::uint32_t link) -> std::int64_t& { return row[link]; });
    } else {
        load_links<kAdds>(message, [&](std::uint32_t link) -> std::int64_t& { return loads_.at(set, link); });
    }
}

template <bool kAdds, class F>
void LinkQueues::load_links(std::size_t message, F&& load_at) {
    const TimedMessage& m = messages_->messages()[message];
    TimedMessages::LinkCost cost{m.link_ticks, m.weight};
    const bool is_alike = messages_->links_are_alike();
    const std::span<const std::uint32_t> links =
        row_ > 0 ? std::span<const std::uint32_t>(links_.data() + message * row_, hops_[message]) : links_of(message);
    for (const std::uint32_t link : links) {
        if (!is_alike) cost = messages_->on_class(message, problem_->link_class(LinkId(std::size_t{link})));
        std::int64_t& total = total_[link];
        std::int64_t& load = load_at(link);
        if (kAdds) {
            load += cost.ticks;
            squares_ += cost.weight * (2 * total + cost.weight);
            total += cost.weight;
        } else {
            load -= cost.ticks;
            squares_ -= cost.weight * (2 * total - cost.weight);
            total -= cost.weight;
        }
    }
}

void LinkQueues::look_at_set(std::size_t set) {
    current_[set] ^= 1;
    const TimedMessages::Set& s = messages_->sets()[set];
    const std::span<Queue> queues = std::span(queues_[current_[set]]).subspan(s.first_waited, s.waited());
    if (row_ == 0 || !loads_.is_dense() || !messages_->links_are_alike()) return look_at_any_set(set, queues);
    const Rows rows{&loads_.at(set, 0), links_.data() + s.first * row_, hops_.data() + s.first,
                    messages_->messages().data() + s.first, row_};
    constexpr std::array<void (*)(const Rows&, std::span<Queue>), kShortRoute + 1> kOfLength = {
        look_at<0>, look_at<1>, look_at<2>, look_at<3>, look_at<4>, look_at<5>, look_at<6>, look_at<7>, look_at<8>};
    kOfLength[row_ <= kShortRoute ? row_ : 0](rows, queues);
}

void LinkQueues::look_at_any_set(std::size_t set, std::span<Queue> queues) {
    const TimedMessages::Set& s = messages_->sets()[set];
    for (std::size_t i = 0; i < queues.size(); ++i) {
        const std::size_t message = s.first + i;
        const auto links = links_of(message);
        Queue queue{.link = static_cast<std::uint32_t>(link_count()), .hops = static_cast<std::uint32_t>(links.size())};
        queue.alone_ticks = messages_->messages()[message].link_ticks;
        for (const std::uint32_t link : links) {
            const std::int64_t load = loads_.get(set, link);
            if (load > queue.load_ticks) {
                queue.load_ticks = load;
                queue.link = link;
            }
            if (messages_->links_are_alike()) continue;
            queue.alone_ticks = std::max(
                queue.alone_ticks, messages_->on_class(message, problem_->link_class(LinkId(std::size_t{link}))).ticks);
        }
        queues[i] = queue;
    }
}

std::int64_t LinkQueues::ticks_of_squares(std::int64_t squares) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(squares) * static_cast<std::uint64_t>(messages_->weight_ticks());
    return static_cast<std::int64_t>(product / static_cast<std::uint64_t>(messages_->total_weight()));
}

/// A lower bound on mean_ticks(). If no message can stay on its node, every message uses a link. In the best case, no
/// two messages share a link or all links have the same load.
std::int64_t LinkQueues::least_mean_ticks() const {
    if (messages_->nodes_are_shared()) return 0;
    std::int64_t apart = 0;
    for (const TimedMessage& m : messages_->messages()) apart += std::int64_t{m.weight} * m.weight;
    const std::int64_t weight = messages_->total_weight();
    return ticks_of_squares(std::max(apart, weight * weight / static_cast<std::int64_t>(link_count())));
}

}  // namespace haichi
