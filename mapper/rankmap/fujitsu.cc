// PJM's host file (--mpi "rank-map-hostfile=F") and mpiexec's --vcoordfile. Line k holds the logical coordinates of the
// node of rank k, as "(x)", "(x,y)" or "(x,y,z)". In a 2D or 3D job, a single coordinate is a position in the rank
// order. Robust maps use positions, because they have the same meaning on every shape.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"

namespace haichi {

namespace {

void check_fujitsu(const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    if (allocation.fold.is_coordinate_table || allocation.is_scattered) return;
    const bool is_grid = allocation.network.coordinates() != nullptr;
    if (!allocation.is_node_list && is_grid) return;
    throw UnsupportedError(
        std::string("the format fujitsu cannot express a map for ") +
            (allocation.is_node_list ? "a node list without a coordinate table: its nodes have no logical coordinates"
                                     : "this machine: its nodes have no logical coordinates"),
        allocation.is_node_list && is_grid ? "give the coordinate table with §fold FILE, or write json or tofu6d"
                                           : "write json or nsim");
}

std::string write_fujitsu(const Mapping& mapping, const RankMapContext& context) {
    check_fujitsu(context);
    const Fold& fold = context.allocation->fold;
    std::string text;
    for (const NodeId node : mapping.node_of_rank()) {
        char before = '(';
        for (const std::int32_t c : fold.logical_coordinates(node)) {
            text += before;
            append_number(text, c);
            before = ',';
        }
        text += ")\n";
    }
    return text;
}

[[noreturn]] void refuse(const SourcePlace& place, std::string_view line, const Fold& fold) {
    const std::string expected = fold.logical_sizes.size() == 1   ? "(x)"
                                 : fold.logical_sizes.size() == 2 ? "(x,y)"
                                                                  : "(x,y,z)";
    if (line.empty()) {
        throw InputError(place, "blank lines are not allowed in a PJM host file",
                         "place rank k on line k, counted from 0");
    }
    if (line.find('#') != std::string_view::npos) {
        throw InputError(place, "comments are not allowed in a PJM host file: " + shown(line));
    }
    throw InputError(place, "expected coordinates " + expected + " without blanks, found " + shown(line));
}

NodeId parse_line(std::string_view line, const Fold& fold, bool takes_positions, const SourcePlace& place) {
    if (line.size() < 3 || line.front() != '(' || line.back() != ')' ||
        line.find_first_not_of("0123456789,-", 1) != line.size() - 1) {
        refuse(place, line, fold);
    }
    std::string_view rest = line.substr(1, line.size() - 2);
    Coordinates at;
    while (true) {
        const auto comma = rest.find(',');
        if (at.size() == fold.logical_sizes.size()) refuse(place, line, fold);
        const bool is_alone = takes_positions && at.empty() && comma == std::string_view::npos;
        const std::int32_t size =
            is_alone ? static_cast<std::int32_t>(fold.node_of_position.size()) : fold.logical_sizes[at.size()];
        const std::int64_t c = parse_count(rest.substr(0, comma), kMostVertices, place);
        if (c >= size) {
            throw InputError(place, "invalid coordinates: " + shown(line) + " (the logical shape is " +
                                        sizes_text(fold.logical_sizes) + ")");
        }
        at.push_back(static_cast<std::int32_t>(c));
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    if (takes_positions) {
        if (at.size() == 1) return fold.node_of_position[static_cast<std::size_t>(at[0])];
        throw InputError(place, shown(line) + " has " + std::to_string(at.size()) +
                                    " coordinates, but earlier lines have one position each");
    }
    if (at.size() != fold.logical_sizes.size()) {
        throw InputError(place, shown(line) + " has " + std::to_string(at.size()) +
                                    (at.size() == 1 ? " coordinate" : " coordinates") + ", but the logical shape " +
                                    sizes_text(fold.logical_sizes) + " has " +
                                    std::to_string(fold.logical_sizes.size()));
    }
    return fold.node_at(at);
}

PlacedRanks read_fujitsu(std::string_view text, const std::string& file, const RankMapContext& context) {
    check_fujitsu(context);
    const Fold& fold = context.allocation->fold;
    RankCollector ranks(file, context, "line");
    // Either all lines are single positions, or no line is. PJM itself accepts no positions in a 2D or 3D job.
    const bool takes_positions = context.problems == nullptr && fold.logical_sizes.size() > 1 &&
                                 text.substr(0, text.find('\n')).find(',') == std::string_view::npos;
    SourcePlace place{file, 0};
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        ++place.line;
        NodeId node;
        read_or_note(context, MapRule::kRecords, [&] { node = parse_line(line, fold, takes_positions, place); });
        ranks.add(node, place.line);
    }
    return ranks.take(context, "write exactly one line per rank, or PJM ends the job with INVALID HOSTFILE");
}

}  // namespace

RankMapFormat fujitsu_format() {
    RankMapFormat fujitsu = {
        "fujitsu",
        "PJM's rank-map-hostfile and mpiexec --vcoordfile: one line per rank with the logical coordinates of its "
        "node, as in (0,1,2)",
        check_fujitsu,
        [](const MapShape& shape, const RankMapContext&) {
            return likely_if(shape.first == '(' && !shape.start.starts_with("(vector"));
        },
        write_fujitsu,
        read_fujitsu};
    fujitsu.launch = pjm_options;
    return fujitsu;
}

}  // namespace haichi
