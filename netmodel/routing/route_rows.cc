#include "netmodel/routing/route_rows.h"

namespace haichi {

namespace {

/// Number of blocks per row, with one bit for each existing link.
std::size_t blocks_of(const Network& network) {
    const auto bits = static_cast<std::size_t>(network.existing_link_count());
    return (bits + BitBlock::kBits - 1) / BitBlock::kBits;
}

}  // namespace

std::size_t RouteRows::needed_bytes(const Network& network) {
    const auto nodes = static_cast<std::size_t>(network.node_count());
    return nodes * nodes * blocks_of(network) * sizeof(BitBlock);
}

RouteRows::RouteRows(const Network& network, std::size_t budget_bytes)
    : node_count_(static_cast<std::size_t>(network.node_count())) {
    const std::size_t blocks = blocks_of(network);
    if (blocks == 0 || blocks > kMostBlocks) return;
    if (node_count_ * node_count_ > budget_bytes / (blocks * sizeof(BitBlock))) return;
    blocks_ = blocks;
    bit_of_link_.assign(static_cast<std::size_t>(network.link_count()), -1);
    std::int32_t next = 0;
    for (std::int32_t link = 0; link < network.link_count(); ++link) {
        if (network.link_exists(LinkId(link))) bit_of_link_[static_cast<std::size_t>(link)] = next++;
    }
    rows_.resize(node_count_ * node_count_ * blocks_);
    std::vector<LinkId> links;
    for (std::size_t s = 0; s < node_count_; ++s) {
        for (std::size_t d = 0; d < node_count_; ++d) {
            if (!network.is_usable(NodeId(s)) || !network.is_usable(NodeId(d))) continue;
            links.clear();
            network.append_route(NodeId(s), NodeId(d), links);
            BitBlock* const row = rows_.data() + (s * node_count_ + d) * blocks_;
            for (const LinkId link : links) row[bit(link) / BitBlock::kBits].set(bit(link) % BitBlock::kBits);
        }
    }
    const std::size_t row_bytes = blocks * sizeof(BitBlock);
    if ((node_count_ * node_count_ + node_count_ * (node_count_ + 1) / 2) * row_bytes <= budget_bytes) join_both_ways();
}

void RouteRows::join_both_ways() {
    exchanges_.reserve(node_count_ * (node_count_ + 1) / 2 * blocks_);
    for (std::size_t a = 0; a < node_count_; ++a) {
        for (std::size_t b = 0; b <= a; ++b) {
            const BitBlock* const there = row(NodeId(a), NodeId(b));
            const BitBlock* const back = row(NodeId(b), NodeId(a));
            for (std::size_t k = 0; k < blocks_; ++k) {
                BitBlock both;
                for (std::size_t word = 0; word < BitBlock::kWords; ++word) {
                    if ((there[k].words[word] & back[k].words[word]) != 0) {
                        exchanges_ = {};  // both routes use this link: one bit cannot count it
                        return;
                    }
                    both.words[word] = there[k].words[word] | back[k].words[word];
                }
                exchanges_.push_back(both);
            }
        }
    }
}

}  // namespace haichi
