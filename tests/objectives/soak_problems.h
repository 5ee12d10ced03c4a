#pragma once

#include <array>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "base/errors.h"
#include "objectives/robust.h"
#include "tests/objectives/problems.h"

namespace haichi::testing_problems {

/// A random number from `low` to `high`.
inline std::int32_t drawn(Random& random, std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(high - low + 1)));
}
inline bool one_in(Random& random, std::uint32_t n) { return random.below(n) == 0; }

/// A machine by name or file, and the part of it that a job requests.
struct DrawnJob {
    std::string machine;
    AllocationRequest request{};
    bool is_full = false;  ///< every slot holds a rank
};

inline std::string joined(const std::vector<std::int32_t>& sizes, const std::string& separator) {
    std::string text;
    for (const std::int32_t size : sizes) text += (text.empty() ? "" : separator) + std::to_string(size);
    return text;
}

inline std::int32_t product(const std::vector<std::int32_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>{});
}

/// Draws axis sizes from `low` in steps of `step`, for at most `most_nodes` nodes.
inline std::vector<std::int32_t> drawn_sizes(Random& random, std::int32_t low, std::int32_t step,
                                             std::int32_t most_nodes) {
    std::vector<std::int32_t> sizes;
    const std::int32_t axes = drawn(random, 1, 5);
    for (std::int32_t axis = 0; axis < axes; ++axis) {
        const std::int32_t size = low + step * drawn(random, 0, axes < 3 ? 5 : 2);
        if (product(sizes) * size <= most_nodes) sizes.push_back(size);
    }
    if (product(sizes) < 2) sizes = {low + step};
    return sizes;
}

/// A random cuboid on a machine of these sizes.
inline void draw_cuboid(Random& random, const std::vector<std::int32_t>& sizes, AllocationRequest& request) {
    do {
        request.shape.clear();
        request.origin.clear();
        for (const std::int32_t size : sizes) {
            request.shape.push_back(one_in(random, 3) ? size : drawn(random, 1, size));
            request.origin.push_back(drawn(random, 0, size - request.shape.back()));
        }
    } while (product(request.shape) < 2 || product(request.shape) > 200);
}

/// Up to `most` different nodes of a cuboid, in machine coordinates, one per line.
inline std::string drawn_nodes(Random& random, const std::vector<std::int32_t>& shape,
                               const std::vector<std::int32_t>& origin, std::int32_t most) {
    std::vector<std::string> lines;
    for (std::int32_t n = 0; n < most; ++n) {
        std::string line;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const std::int32_t first = origin.empty() ? 0 : origin[axis];
            line += std::to_string(drawn(random, first, first + shape[axis] - 1)) + " ";
        }
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

/// Draws any order of the dimensions and any tie rule, or an empty text for the machine's own routing.
inline std::string drawn_routing(Random& random, std::string axes) {
    if (axes.empty() || one_in(random, 2)) return "";
    random.shuffle(std::span<char>(axes));
    return "dor:" + axes + (one_in(random, 2) ? ",tie=+" : ",tie=-");
}

inline std::string axis_letters(std::size_t axes) { return axes <= 3 ? std::string("XYZ").substr(0, axes) : ""; }

inline DrawnJob drawn_tofu_complete(Random& random, const std::string&) {
    const std::vector<std::int32_t> sizes = {drawn(random, 1, 4), drawn(random, 1, 2), drawn(random, 1, 2)};
    static const std::array<std::string, 4> kWraps = {"", ":XZ", ":XYZ", ":Y"};
    DrawnJob job{(one_in(random, 2) ? "fx10:" : "fx100:") + joined(sizes, "x") + kWraps[random.below(4)]};
    job.request.routing = drawn_routing(random, "XYZABC");
    job.is_full = one_in(random, 2);
    return job;
}

inline const std::vector<std::int32_t>& kyushu_sizes() {
    static const std::vector<std::int32_t> kSizes = {4, 2, 8, 2, 3, 2};
    return kSizes;
}

inline DrawnJob drawn_tofu_part(Random& random, const std::string&) {
    DrawnJob job{"fx10-kyushu"};
    draw_cuboid(random, kyushu_sizes(), job.request);
    job.request.routing = drawn_routing(random, "XYZABC");
    return job;
}

inline DrawnJob drawn_tofu_with_faults(Random& random, const std::string& file) {
    DrawnJob job{"fx10-kyushu"};
    draw_cuboid(random, kyushu_sizes(), job.request);
    job.request.faulty =
        testing_files::written(file, drawn_nodes(random, job.request.shape, job.request.origin, drawn(random, 1, 5)));
    return job;
}

inline DrawnJob drawn_mesh(Random& random, const std::string&) {
    const auto sizes = drawn_sizes(random, 1, 1, 240);
    DrawnJob job{"mesh:" + joined(sizes, "x")};
    job.request.routing = drawn_routing(random, axis_letters(sizes.size()));
    return job;
}

inline DrawnJob drawn_torus(Random& random, std::int32_t low) {
    const auto sizes = drawn_sizes(random, low, 2, 250);
    DrawnJob job{"torus:" + joined(sizes, "x")};
    job.request.routing = drawn_routing(random, axis_letters(sizes.size()));
    return job;
}
inline DrawnJob drawn_even_torus(Random& random, const std::string&) { return drawn_torus(random, 2); }
inline DrawnJob drawn_odd_torus(Random& random, const std::string&) { return drawn_torus(random, 3); }

inline DrawnJob drawn_torus_part(Random& random, const std::string&) {
    const auto sizes = drawn_sizes(random, 2, 1, 400);
    DrawnJob job{"torus:" + joined(sizes, "x")};
    draw_cuboid(random, sizes, job.request);
    return job;
}

inline DrawnJob drawn_node_list(Random& random, const std::string& file) {
    const std::vector<std::int32_t> sizes = {drawn(random, 2, 7), drawn(random, 2, 6), drawn(random, 1, 4)};
    DrawnJob job{(one_in(random, 2) ? "torus:" : "mesh:") + joined(sizes, "x")};
    job.request.nodes = testing_files::written(file, drawn_nodes(random, sizes, {}, drawn(random, 4, 60)));
    return job;
}

inline std::string drawn_tree_routing(Random& random) {
    static const std::array<std::string, 3> kRoutings = {"", "s-mod-k", "d-mod-k"};
    return kRoutings[random.below(3)];
}

inline DrawnJob drawn_fat_tree(Random& random, const std::string&) {
    static const std::array<std::string, 6> kTrees = {"2x3", "2x6", "2x11", "3x3", "3x4", "4x2"};
    DrawnJob job{"fattree:" + kTrees[random.below(6)]};
    job.request.routing = drawn_tree_routing(random);
    return job;
}

/// Fat and plain trees; each level has its own arity and usually its own bandwidth.
inline DrawnJob drawn_tree(Random& random, const std::string& file) {
    std::vector<std::int32_t> children;
    std::vector<std::int32_t> parents;
    std::string bandwidths;
    for (std::int32_t level = drawn(random, 1, 3); level > 0; --level) {
        children.push_back(drawn(random, 2, 6));
        parents.push_back(parents.empty() ? 1 : drawn(random, 1, 3));
        bandwidths += (bandwidths.empty() ? "\"" : ", \"") + std::to_string(drawn(random, 1, 9)) + "GB/s\"";
    }
    const bool is_fat = one_in(random, 2);
    std::string text = R"({"schema": "haichi-machine/1", "topology": {"kind": ")";
    text += std::string(is_fat ? "fattree" : "tree") + R"(", "children": [)" + joined(children, ", ") + "]";
    if (is_fat) text += R"(, "parents": [)" + joined(parents, ", ") + "]";
    if (!one_in(random, 4)) text += R"(, "bandwidth": [)" + bandwidths + "]";
    DrawnJob job{testing_files::written(file + ".json", text + R"(}, "link": {"bandwidth": "3GB/s"}})")};
    job.request.routing = drawn_tree_routing(random);
    return job;
}

/// Complete dragonflies and dragonflies with fewer groups, usually with a separate bandwidth for each kind of link.
inline DrawnJob drawn_dragonfly(Random& random, const std::string& file) {
    const std::int32_t routers = drawn(random, 1, 5);
    const std::int32_t global_links = drawn(random, 1, 3);
    const std::int32_t terminals = drawn(random, routers == 1 ? 2 : 1, 3);
    std::string text = R"({"schema": "haichi-machine/1", "topology": {"kind": "dragonfly", "terminals": )";
    text += std::to_string(terminals) + R"(, "routers": )" + std::to_string(routers) + R"(, "global_links": )" +
            std::to_string(global_links);
    if (one_in(random, 2)) text += R"(, "groups": )" + std::to_string(drawn(random, 1, routers * global_links + 1));
    if (!one_in(random, 4)) {
        std::string bandwidths;
        for (std::int32_t level = 0; level < 3; ++level) {
            bandwidths += (bandwidths.empty() ? "\"" : ", \"") + std::to_string(drawn(random, 1, 9)) + "GB/s\"";
        }
        text += R"(, "bandwidth": [)" + bandwidths + "]";
    }
    return {testing_files::written(file + ".json", text + R"(}, "link": {"bandwidth": "3GB/s"}})")};
}

/// Two or three clusters (trees or rings). One to four bridges with a weight of up to 20 links join every two of them.
inline DrawnJob drawn_clusters(Random& random, const std::string& file) {
    std::string clusters;
    for (std::int32_t left = drawn(random, 2, 3); left > 0; --left) {
        const std::string size = std::to_string(drawn(random, 2, 9));
        clusters += clusters.empty() ? "" : ", ";
        clusters += one_in(random, 2)
                        ? R"({"kind": "tree", "children": [)" + size + "]}"
                        : R"({"kind": "torus", "axes": [{"name": "X", "wraps": true, "size": )" + size + "}]}";
    }
    const std::string count = std::to_string(drawn(random, 1, 4));
    const std::string rate = std::to_string(drawn(random, 1, 3));
    const std::string hops = std::to_string(drawn(random, 1, 20));
    return {testing_files::written(
        file + ".json", R"({"schema": "haichi-machine/1", "topology": {"kind": "clusters", "clusters": [)" + clusters +
                            R"(], "bridges": {"count": )" + count + R"(, "bandwidth": ")" + rate +
                            R"(GB/s", "crossing_hops": )" + hops + R"(}}, "link": {"bandwidth": "3GB/s"}})")};
}

inline void append_edge(std::string& text, std::int32_t a, std::int32_t b, std::int32_t bandwidth) {
    text += "<edge source=\"" + std::to_string(a) + "\" target=\"" + std::to_string(b) + "\"><data key=\"b\">" +
            std::to_string(bandwidth) + "GB/s</data></edge>\n";
}

/// Every vertex is joined to an earlier one, then more edges are added. The first few vertices are switches.
inline DrawnJob drawn_graph(Random& random, const std::string& file) {
    const std::int32_t switches = drawn(random, 0, 8);
    const std::int32_t vertices = switches + drawn(random, 3, 50);
    const std::int32_t rates = drawn(random, 1, 4);
    std::string text =
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminal\" attr.type=\"int\"/>\n"
        "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>\n"
        "<graph edgedefault=\"undirected\">\n";
    for (std::int32_t v = 0; v < vertices; ++v) {
        text +=
            "<node id=\"" + std::to_string(v) + "\"><data key=\"t\">" + (v < switches ? "0" : "1") + "</data></node>\n";
        if (v > 0) append_edge(text, drawn(random, 0, v - 1), v, drawn(random, 1, rates));
    }
    for (std::int32_t more = drawn(random, 0, vertices); more > 0; --more) {
        const std::int32_t a = drawn(random, 0, vertices - 1);
        const std::int32_t b = drawn(random, 0, vertices - 1);
        if (a != b) append_edge(text, a, b, drawn(random, 1, rates));
    }
    return {"graph:" + testing_files::written(file + ".graphml", text + "</graph></graphml>\n")};
}

/// A one-way ring with one-way shortcuts: distances differ with the direction.
inline DrawnJob drawn_one_way_graph(Random& random, const std::string& file) {
    const std::int32_t nodes = drawn(random, 3, 40);
    std::string text =
        "<graphml><key id=\"b\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>\n"
        "<graph edgedefault=\"directed\">\n";
    for (std::int32_t n = 0; n < nodes; ++n) text += "<node id=\"" + std::to_string(n) + "\"/>\n";
    const std::int32_t rates = drawn(random, 1, 2);
    for (std::int32_t n = 0; n < nodes; ++n) append_edge(text, n, (n + 1) % nodes, drawn(random, 1, rates));
    for (std::int32_t cut = drawn(random, 0, 2 * nodes); cut > 0; --cut) {
        const std::int32_t a = drawn(random, 0, nodes - 1);
        const std::int32_t b = drawn(random, 0, nodes - 1);
        if (a != b) append_edge(text, a, b, drawn(random, 1, rates));
    }
    return {"graph:" + testing_files::written(file + ".graphml", text + "</graph></graphml>\n")};
}

/// Trees, dragonflies and graphs. Routes of the first two contain no node; routes of a graph avoid faulty nodes.
inline DrawnJob drawn_others_with_faults(Random& random, const std::string& file) {
    constexpr std::array kOthers = {drawn_fat_tree, drawn_tree, drawn_dragonfly, drawn_graph, drawn_one_way_graph};
    DrawnJob job = kOthers[random.below(5)](random, file);
    const std::vector<std::int32_t> all = {terminal_count(load_machine(job.machine))};
    job.request.faulty = testing_files::written(file, drawn_nodes(random, all, {}, drawn(random, 1, 4)));
    return job;
}

/// Rows of bits would be too long, so links are counted one by one.
inline DrawnJob drawn_beyond_rows(Random& random, const std::string&) {
    const std::vector<std::int32_t> sizes = {7, drawn(random, 7, 8), drawn(random, 7, 8)};
    return {"torus:" + joined(sizes, "x")};
}

/// The tables of distances and routes would be too large, so both are computed.
inline DrawnJob drawn_beyond_tables(Random& random, const std::string&) {
    const std::vector<std::int32_t> sizes = {20, drawn(random, 20, 21), drawn(random, 21, 22)};
    return {(one_in(random, 2) ? "torus:" : "mesh:") + joined(sizes, "x")};
}

struct TopologyKind {
    std::string name;
    DrawnJob (*draw)(Random& random, const std::string& file);
    std::int32_t most_ranks = 400;
};

inline const std::vector<TopologyKind>& topology_kinds() {
    static const std::vector<TopologyKind> kKinds = {{"tofu", drawn_tofu_complete},
                                                     {"tofu-part", drawn_tofu_part},
                                                     {"tofu-faults", drawn_tofu_with_faults},
                                                     {"mesh", drawn_mesh},
                                                     {"torus-even", drawn_even_torus},
                                                     {"torus-odd", drawn_odd_torus},
                                                     {"torus-part", drawn_torus_part},

                                                     {"node-list", drawn_node_list},
                                                     {"fat-tree", drawn_fat_tree},
                                                     {"tree", drawn_tree},
                                                     {"dragonfly", drawn_dragonfly},
                                                     {"clusters", drawn_clusters},
                                                     {"graph", drawn_graph},
                                                     {"one-way", drawn_one_way_graph},
                                                     {"faults", drawn_others_with_faults},
                                                     {"no-rows", drawn_beyond_rows, 200},
                                                     {"no-tables", drawn_beyond_tables, 80}};
    return kKinds;
}

/// Sets of messages with one size, one size per set, or any sizes. Some messages are empty, sent to self, or repeated
/// many times. Some sets are empty, and some have so many messages that counts need all their bits.
inline Workload drawn_workload(Random& random, std::int32_t ranks) {
    Workload workload(ranks);
    // Bit-sliced counters require one size per set. Two thirds of the workloads meet this, so that the counters are
    // tested.
    enum class Sizes { kOne, kOnePerSet, kMultiples, kAny };
    constexpr std::array kSizes = {Sizes::kOne,       Sizes::kOne,       Sizes::kOnePerSet,
                                   Sizes::kOnePerSet, Sizes::kMultiples, Sizes::kAny};
    const Sizes sizes = kSizes[random.below(kSizes.size())];
    const bool many = one_in(random, 32);
    const std::int32_t sets = many ? 1 : drawn(random, 1, 6);
    // Some ranks may have no message at all.
    const std::int32_t talking = one_in(random, 4) ? drawn(random, 2, ranks) : ranks;
    std::int64_t usual = 1 + random.below(1 << 20);
    for (std::int32_t t = 0; t < sets; ++t) {
        workload.add_set("set " + std::to_string(t));
        if (sets > 1 && one_in(random, 10)) continue;
        if (sizes == Sizes::kOnePerSet) usual = 1 + random.below(1 << 20);
        const std::int32_t messages = many ? drawn(random, 300, 1200) : drawn(random, 1, std::clamp(2 * ranks, 2, 250));
        const std::uint32_t repeats_one_in = one_in(random, 4) ? 2 : 20;
        RankId source(0);
        RankId destination(1);
        for (std::int32_t m = 0; m < messages; ++m) {
            if (m == 0 || !one_in(random, repeats_one_in)) {
                source = RankId(drawn(random, 0, talking - 1));
                destination = one_in(random, 20) ? source : RankId(drawn(random, 0, talking - 1));
            }
            std::int64_t size = usual;
            if (sizes == Sizes::kMultiples) size = drawn(random, 0, 4) * usual;
            if (sizes == Sizes::kAny) size = 1 + (random.below(1U << 31) >> random.below(31));
            workload.add_message(source, destination, one_in(random, 30) ? 0 : size);
        }
    }
    return workload;
}

/// A random problem, with the other allocations that a robust search includes.
struct DrawnProblem {
    Posed posed;
    std::deque<Network> networks;
    std::deque<Problem> others;
    RobustJob robust_job;
    SliceKernel kernel = nullptr;
};

/// The slots of `nodes` nodes, grouped by node, with the nodes in the order of `node_of_node`.
inline std::vector<SlotId> slots_of(const std::vector<std::int32_t>& node_of_node, std::int32_t ranks_per_node) {
    std::vector<SlotId> slots;
    for (const std::int32_t node : node_of_node) {
        for (std::int32_t place = 0; place < ranks_per_node; ++place) slots.emplace_back(node * ranks_per_node + place);
    }
    return slots;
}

/// The same nodes in another order, and a mesh with the same number of nodes.
inline void add_variants(Random& random, DrawnProblem& drawn_problem) {
    const Problem& problem = *drawn_problem.posed.problem;
    const std::int32_t per_node = problem.ranks_per_node();
    std::vector<std::int32_t> nodes(static_cast<std::size_t>(problem.node_count()));
    std::iota(nodes.begin(), nodes.end(), 0);
    RobustJob& job = drawn_problem.robust_job;
    job.measure = one_in(random, 2) ? RobustMeasure::kMax : RobustMeasure::kMean;
    job.variants.push_back({&problem, slots_of(nodes, per_node)});

    std::vector<std::int32_t> usable;
    for (const std::int32_t n : nodes) {
        if (problem.network().is_usable(NodeId(n))) usable.push_back(n);
    }
    std::vector<std::int32_t> turned = usable;
    random.shuffle(std::span<std::int32_t>(turned));
    std::vector<std::int32_t> order = nodes;
    for (std::size_t i = 0; i < usable.size(); ++i) order[static_cast<std::size_t>(usable[i])] = turned[i];
    job.variants.push_back({&problem, slots_of(order, per_node)});

    const std::vector<int> sizes = balanced_dims(problem.node_count(), 3);
    const Allocation mesh = allocate(load_machine("mesh:" + joined({sizes.begin(), sizes.end()}, "x")),
                                     {.ranks_per_node = per_node, .count_nic = one_in(random, 2)});
    const Network& network = drawn_problem.networks.emplace_back(mesh.network);
    Problem& other = drawn_problem.others.emplace_back(problem.workload(), network, per_node, &network);
    other.set_slice_kernel(problem.slice_kernel());
    random.shuffle(std::span<std::int32_t>(nodes));
    job.variants.push_back({&other, slots_of(nodes, per_node)});
    drawn_problem.posed.problem->set_robust_job(&job);
}

/// The same arguments give the same problem. The names of its files start with `file`.
inline std::unique_ptr<DrawnProblem> draw_problem(const TopologyKind& kind, SliceKernel kernel, Random random,
                                                  const std::string& file) {
    constexpr int kMostDraws = 100;  // faults may cut a job in two, which is then newly generated
    for (int draw = 1;; ++draw) {
        DrawnJob job = kind.draw(random, file);
        job.request.ranks_per_node = one_in(random, 3) ? drawn(random, 2, 4) : 1;
        job.request.count_nic = one_in(random, 4);
        try {
            const Machine machine = load_machine(job.machine);
            Allocation allocation = allocate(machine, job.request);
            const std::int32_t slots = allocation.network.usable_node_count() * allocation.ranks_per_node;
            if (allocation.network.usable_node_count() < 2) continue;
            const bool is_full = (job.is_full || one_in(random, 3)) && slots <= kind.most_ranks;
            const std::int32_t ranks = is_full ? slots : drawn(random, 2, std::min(slots, kind.most_ranks));
            const std::string name = job.machine + (job.request.shape.empty() ? "" : " ") +
                                     joined(job.request.shape, "x") + ", " + std::to_string(ranks) + " ranks on " +
                                     std::to_string(slots) + " slots";
            auto problem = std::make_unique<DrawnProblem>();
            problem->posed = pose(name, drawn_workload(random, ranks), std::move(allocation));
            problem->kernel = kernel;
            problem->posed.problem->set_slice_kernel(kernel);
            problem->posed.problem->set_machine_costs(machine_costs_of(machine));
            add_variants(random, *problem);
            return problem;
        } catch (const InternalError&) {
            throw;
        } catch (const Error&) {
            if (draw == kMostDraws) throw;
        }
    }
}

}  // namespace haichi::testing_problems
