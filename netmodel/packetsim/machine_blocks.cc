#include "netmodel/packetsim/machine_blocks.h"

#include <algorithm>
#include <utility>

#include "netmodel/topology/grid.h"

namespace haichi {

namespace {

/// Per axis: the first position and the end of the range (exclusive).
using Cuboid = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Cuts the longest axis in two, in proportion to the number of blocks on each side, until there are enough blocks.
void halve(const Cuboid& cuboid, int blocks, std::vector<Cuboid>& found) {
    std::size_t longest = 0;
    const auto length = [&](std::size_t k) { return cuboid[k].second - cuboid[k].first; };
    for (std::size_t k = 1; k < cuboid.size(); ++k) {
        if (length(k) > length(longest)) longest = k;
    }
    if (blocks == 1 || length(longest) == 1) {
        found.push_back(cuboid);
        return;
    }
    const int before = blocks / 2;
    const std::int64_t share = std::int64_t{length(longest)} * before / blocks;
    const auto middle = cuboid[longest].first + static_cast<std::int32_t>(std::max<std::int64_t>(share, 1));
    Cuboid half = cuboid;
    half[longest].second = middle;
    halve(half, before, found);
    half = cuboid;
    half[longest].first = middle;
    halve(half, blocks - before, found);
}

MachineBlocks blocks_of_grid(const Grid& grid, int wanted) {
    Cuboid whole;
    for (std::size_t k = 0; k < grid.axis_count(); ++k) whole.emplace_back(0, grid.axis(k).size);
    std::vector<Cuboid> cuboids;
    halve(whole, wanted, cuboids);
    MachineBlocks blocks;
    blocks.count = static_cast<int>(cuboids.size());
    blocks.block_of_vertex.assign(static_cast<std::size_t>(grid.vertex_count()), 0);
    for (std::size_t b = 0; b < cuboids.size(); ++b) {
        Coordinates at;
        for (const auto& [first, end] : cuboids[b]) at.push_back(first);
        for (bool is_over = false; !is_over;) {
            blocks.block_of_vertex[grid.vertex(at).index()] = static_cast<std::uint16_t>(b);
            std::size_t k = 0;
            while (k < at.size() && ++at[k] == cuboids[b][k].second) {
                at[k] = cuboids[b][k].first;
                ++k;
            }
            is_over = k == at.size();
        }
    }
    return blocks;
}

/// A node without a router may have several switches of a tree. The other nodes of its block share them, so all these
/// vertices go to one partition.
void join_hosts(const PacketPorts& ports, MachineBlocks& blocks) {
    std::vector<std::uint8_t> is_joined(blocks.block_of_vertex.size(), 0);
    for (std::size_t l = 0; l < static_cast<std::size_t>(ports.link_count()); ++l) {
        const VertexId from = ports.link_source()[l];
        const VertexId to = ports.link_target()[l];
        if (!from.valid() || !ports.is_host(from)) continue;
        std::uint16_t& of_host = blocks.block_of_vertex[from.index()];
        if (is_joined[from.index()] == 0) of_host = blocks.block_of_vertex[to.index()];
        is_joined[from.index()] = 1;
        blocks.block_of_vertex[to.index()] = of_host;
    }
}

/// Cuts ranges with equal numbers of input buffers, which determine the cost of routers.
MachineBlocks ranges_of_routers(const Network& network, const PacketPorts& ports, int wanted) {
    MachineBlocks blocks;
    const auto vertices = static_cast<std::size_t>(ports.vertex_count());
    std::vector<std::int32_t> inputs(vertices, 0);
    for (const VertexId to : ports.link_target()) {
        if (to.valid()) ++inputs[to.index()];
    }
    std::vector<std::size_t> first_of_part;
    for (const std::int32_t first : network.topology().router_ranges()) {
        first_of_part.push_back(static_cast<std::size_t>(first));
    }
    first_of_part.push_back(vertices);
    blocks.block_of_vertex.assign(vertices, 0);
    for (std::size_t part = 0; part + 1 < first_of_part.size(); ++part) {
        std::int64_t total = 0;
        for (std::size_t v = first_of_part[part]; v < first_of_part[part + 1]; ++v) total += inputs[v];
        std::int64_t before = 0;
        for (std::size_t v = first_of_part[part]; v < first_of_part[part + 1]; ++v) {
            const std::int64_t share = total == 0 ? 0 : before * wanted / total;
            blocks.block_of_vertex[v] = static_cast<std::uint16_t>(std::min<std::int64_t>(share, wanted - 1));
            before += inputs[v];
        }
    }
    blocks.count = wanted;
    join_hosts(ports, blocks);
    return blocks;
}

}  // namespace

MachineBlocks divide_machine(const Network& network, const PacketPorts& ports, int wanted) {
    wanted = std::min({wanted, MachineBlocks::kMostBlocks, ports.vertex_count()});
    if (wanted <= 1) return {};
    if (const Grid* grid = network.topology().coordinates()) return blocks_of_grid(*grid, wanted);
    return ranges_of_routers(network, ports, wanted);
}

}  // namespace haichi
