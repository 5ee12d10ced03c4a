// Open MPI's rankfile (--rankfile F, --map-by rankfile:file=F): "rank 0=host slot=0" per rank, in any order. Comments
// are "#...", "//..." and "/* ... */". "+n3" is the fourth node of the job that runs the program, and "user@host" is
// host. If the nodes of the job are the cores of one computer, slots are these cores.

#include <unordered_map>
#include <utility>

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"
#include "netmodel/topology/graph.h"
#include "netmodel/topology/topology.h"

namespace haichi {

namespace {

constexpr std::string_view kLocalHost = "localhost";

/// The name of a node in a network file. Empty for other machines.
std::string name_of(NodeId node, const RankMapContext& context) {
    const Network& network = context.allocation->network;
    const auto* graph = topology_value<Graph>(network.topology());
    return graph == nullptr ? std::string() : graph->vertex_name(network.vertex(node));
}

/// The core that a node of an hwloc network is, by its name as in "core/7". Empty for any other node. The names of
/// other nodes do not contain a slash if they can be host names.
std::string core_of(NodeId node, const RankMapContext& context) {
    if (context.hosts != nullptr) return {};
    const std::string name = name_of(node, context);
    for (const std::string_view prefix : {"core/", "pu/"}) {
        if (name.starts_with(prefix)) return name.substr(prefix.size());
    }
    return {};
}

void check_openmpi(const RankMapContext& context) {
    if (context.hosts == nullptr && name_of(NodeId(0), context).starts_with("gpu/")) {
        throw UnsupportedError("the format openmpi cannot express this map: nodes are the GPUs of one computer",
                               "use -f json, and set the GPU of each rank in the program's environment");
    }
}

std::string write_openmpi(const Mapping& mapping, const RankMapContext& context) {
    check_openmpi(context);
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        text += "rank ";
        append_number(text, r);
        text += '=';
        const NodeId node = mapping.node(RankId(r));
        if (const std::string core = core_of(node, context); !core.empty()) {
            text += std::string(kLocalHost) + " slot=" + core + "\n";
            continue;
        }
        text += context.hosts == nullptr ? "+n" + std::to_string(node.value) : context.hosts->name(node);
        text += " slot=";
        append_cores(text, mapping, RankId(r), context);
        text += '\n';
    }
    return text;
}

/// Replaces comments by blanks, so that line numbers do not change.
std::string without_comments(std::string_view text, const std::string& file) {
    std::string plain(text);
    std::size_t line = 1;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        if (plain[i] == '\n') ++line;
        const std::string_view two = std::string_view(plain).substr(i, 2);
        if (plain[i] == '#' || two == "//") {
            for (; i < plain.size() && plain[i] != '\n'; ++i) plain[i] = ' ';
            --i;
        } else if (two == "/*") {
            const auto end = plain.find("*/", i + 2);
            if (end == std::string::npos) throw InputError(SourcePlace{file, line}, "unterminated comment '/*'");
            for (; i < end + 2; ++i) {
                if (plain[i] == '\n') {
                    ++line;
                } else {
                    plain[i] = ' ';
                }
            }
            --i;
        }
    }
    return plain;
}

/// The words of a line, where each '=' is one word.
std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view kEnds = " \t\r\f\v=";
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const std::size_t end = line.front() == '=' ? 1 : std::min(line.find_first_of(kEnds), line.size());
        if (end > 0) words.push_back(line.substr(0, end));
        line.remove_prefix(std::max<std::size_t>(end, 1));
    }
    return words;
}

NodeId node_of_word(std::string_view host, const RankMapContext& context, const SourcePlace& place) {
    if (host.starts_with("+n") || host.starts_with("+N")) {
        const std::int64_t number = parse_count(host.substr(2), kMostVertices, place);
        if (number < context.allocation->node_count()) return NodeId(static_cast<std::int32_t>(number));
        throw InputError(place, "invalid node " + shown(host) + " (the job has " +
                                    std::to_string(context.allocation->node_count()) + ")");
    }
    require_hosts(context, "openmpi");
    return node_of_host(context, host.substr(host.find('@') + 1), place);
}

/// The nodes of the job by their cores. Empty if nodes are not cores.
using Cores = std::unordered_map<std::string, NodeId>;

Cores cores_of(const RankMapContext& context) {
    Cores cores;
    const std::int32_t nodes = context.allocation->node_count();
    for (std::int32_t n = 0; n < nodes && (n == 0 || !cores.empty()); ++n) {
        if (std::string core = core_of(NodeId(n), context); !core.empty()) cores.emplace(std::move(core), NodeId(n));
    }
    return cores;
}

/// A slot list names the cores to which a rank is bound.
std::int32_t place_of_slots(std::string_view slots, const RankMapContext& context, const SourcePlace& place) {
    if (slots.empty() || slots.find_first_not_of("0123456789,-:*") != std::string_view::npos) {
        throw InputError(place, "expected a slot list such as 0, 0-3 or 1:0-2, found " + shown(slots));
    }
    return place_of_cores(slots, context);
}

void read_record(const std::vector<std::string_view>& words, std::string_view line, NumberedRanks& ranks,
                 const RankMapContext& context, const Cores& cores, const SourcePlace& place) {
    const bool fits = words.size() == 7 && words[0] == "rank" && words[2] == "=" &&
                      (words[4] == "slot" || words[4] == "slots") && words[5] == "=";
    if (!fits) throw InputError(place, "expected rank N=HOST slot=SLOTS, found " + shown(line));
    if (words[3] == kLocalHost && !cores.empty()) {
        const auto core = cores.find(std::string(words[6]));
        if (core == cores.end()) throw InputError(place, "invalid core: " + shown(words[6]) + " (not in the job)");
        return ranks.add(words[1], core->second, -1, place);
    }
    const NodeId node = node_of_word(words[3], context, place);
    ranks.add(words[1], node, place_of_slots(words[6], context, place), place);
}

PlacedRanks read_openmpi(std::string_view text, const std::string& file, const RankMapContext& context) {
    const std::string plain = without_comments(text, file);
    const Cores cores = cores_of(context);
    NumberedRanks ranks(file, context);
    for (TextLines lines(plain, file); lines.next();) {
        const std::vector<std::string_view> words = words_of(lines.text());
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        const bool is_read = read_or_note(context, MapRule::kRecords,
                                          [&] { read_record(words, lines.text(), ranks, context, cores, place); });
        if (!is_read) ranks.skip();
    }
    PlacedRanks placed = ranks.take(context, "line");
    keep_distinct_places(placed, *context.allocation);
    return placed;
}

std::string launch_openmpi(const Mapping& mapping, const RankMapContext&, const std::string& file) {
    const std::string start = "mpirun -n " + std::to_string(mapping.rank_count());
    const std::string map = shell_word(file);
    return start + " --rankfile " + map + " ./app\n# with Open MPI 5 and PRRTE: " + start +
           " --map-by rankfile:file=" + map + " ./app\n";
}

}  // namespace

RankMapFormat openmpi_format() {
    return {"openmpi",
            "Open MPI's rankfile, --rankfile F or --map-by rankfile:file=F, with lines such as rank 0=host slot=0; "
            "hosts are +n0, +n1, ... of the job without host names",
            check_openmpi,
            [](const MapShape& shape, const RankMapContext&) {
                return likely_if(!shape.words.empty() && shape.words[0] == "rank");
            },
            write_openmpi,
            read_openmpi,
            nullptr,
            launch_openmpi};
}

}  // namespace haichi
