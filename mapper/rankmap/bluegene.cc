// The mapping files of Blue Gene. Line k holds the coordinates of the node of rank k in the job's block, and its slot
// on the node. Blue Gene/Q has five axes and allows comments and blank lines. Blue Gene/L has three, and its file must
// place a rank on every slot of the partition.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

struct BlueGene {
    const char* format;
    std::size_t axes;
    const char* numbers;  ///< numbers of a record
    bool is_strict;       ///< no comments or blank lines, every slot must be taken
};
constexpr BlueGene kQ = {"bgq", 5, "A B C D E T", false};
constexpr BlueGene kL = {"bgl", 3, "x y z t", true};

const Grid& grid_of(const RankMapContext& context) { return *context.allocation->network.coordinates(); }

[[noreturn]] void refuse_idle(const BlueGene& kind, std::int64_t ranks, std::int64_t slots) {
    throw UnsupportedError("the format " + std::string(kind.format) +
                               " cannot express a map with empty rank slots: " + std::to_string(ranks) + " ranks for " +
                               std::to_string(slots) + " rank slots, but its file must cover the whole partition",
                           "use a §shape and §ppn that the ranks fill, or another format");
}

void check_bluegene(const BlueGene& kind, const RankMapContext& context) {
    const Allocation& job = *context.allocation;
    const std::string cannot = "the format " + std::string(kind.format) + " cannot express a map for ";
    const Grid* grid = job.network.coordinates();
    if (grid == nullptr) {
        throw UnsupportedError(cannot + "this machine: its nodes have no coordinates", "write json or nsim");
    }
    if (job.is_node_list) {
        throw UnsupportedError(cannot + "a node list: coordinates require a block of nodes", "write json or nsim");
    }
    if (grid->axis_count() > kind.axes) {
        throw UnsupportedError(
            cannot + std::to_string(grid->axis_count()) + " axes: a record has the numbers " + kind.numbers,
            "write json or tofu6d");
    }
    if (kind.is_strict && context.rank_count > 0 && context.rank_count != job.slot_count()) {
        refuse_idle(kind, context.rank_count, job.slot_count());
    }
}

Likeness recognise(const BlueGene& kind, const MapShape& shape, const RankMapContext& context) {
    return possible_if(has_coordinates(*context.allocation) && columns_of(shape, context) == kind.axes + 1 &&
                       address_length(*context.allocation) <= kind.axes);
}

std::string write_bluegene(const BlueGene& kind, const Mapping& mapping, const RankMapContext& context) {
    check_bluegene(kind, context);
    if (kind.is_strict && mapping.rank_count() != mapping.slot_count()) {
        refuse_idle(kind, mapping.rank_count(), mapping.slot_count());
    }
    const Grid& grid = grid_of(context);
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        const VertexId vertex = context.allocation->network.vertex(mapping.node(RankId(r)));
        for (std::size_t k = 0; k < kind.axes; ++k) {
            append_number(text, k < grid.axis_count() ? grid.coordinate(vertex, k) : 0);
            text += ' ';
        }
        append_number(text, place_on_node(mapping, RankId(r)));
        text += '\n';
    }
    return text;
}

NodeId node_in_block(std::span<const std::string_view> words, const RankMapContext& context, const SourcePlace& place) {
    const Grid& grid = grid_of(context);
    Coordinates at;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::int32_t size = k < grid.axis_count() ? grid.axis(k).size : 1;
        const auto c = static_cast<std::int32_t>(parse_count(words[k], kMostVertices, place));
        if (c >= size) {
            throw InputError(place,
                             "invalid coordinate in column " + std::to_string(k + 1) + ": " + std::to_string(c) +
                                 " (the block is " + sizes_text(context.allocation->shape) + ")",
                             "count coordinates from the block's corner");
        }
        if (k < grid.axis_count()) at.push_back(c);
    }
    return context.allocation->network.node_at(grid.vertex(at));
}

PlacedRanks read_bluegene(const BlueGene& kind, std::string_view text, const std::string& file,
                          const RankMapContext& context) {
    check_bluegene(kind, context);
    RankCollector ranks(file, context, "record");
    PlaceTable places(*context.allocation, kind.is_strict ? "t" : "T");
    for (TextLines lines(text, file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty() && !kind.is_strict) continue;
        const SourcePlace place{file, lines.number()};
        NodeId node;
        std::int32_t place_on_node = 0;
        read_or_note(context, MapRule::kRecords, [&] {
            if (words.size() != kind.axes + 1) {
                throw InputError(place, "expected the " + std::to_string(kind.axes + 1) + " numbers " + kind.numbers +
                                            ", found " + shown(lines.text()));
            }
            if (kind.is_strict && lines.has_comment()) {
                throw InputError(place, "comments are not allowed in a " + std::string(kind.format) + " map");
            }
            const NodeId at = node_in_block(std::span(words).first(kind.axes), context, place);
            place_on_node = places.take(at, words[kind.axes], place);
            node = at;
        });
        ranks.add_with_place(node, place_on_node, place.line);
    }
    const std::int64_t slots = context.allocation->slot_count();
    RankMapContext whole = context;
    if (kind.is_strict) whole.rank_count = static_cast<std::int32_t>(slots);
    return ranks.take(whole, kind.is_strict ? "write one record per rank slot of the whole partition"
                                            : "write one record per rank, in rank order");
}

std::string launch_bgq(const Mapping& mapping, const RankMapContext&, const std::string& file) {
    return "runjob --np " + std::to_string(mapping.rank_count()) + " --ranks-per-node " +
           std::to_string(mapping.ranks_per_node()) + " --mapping " + shell_word(file) + " : ./app\n";
}

std::string launch_bgl(const Mapping& mapping, const RankMapContext&, const std::string& file) {
    return "mpirun -np " + std::to_string(mapping.rank_count()) + " -env BGLMPI_MAPPING=" + shell_word(file) +
           " -exe ./app\n";
}

}  // namespace

RankMapFormat bgq_format() {
    return {"bgq",
            "Blue Gene/Q, RUNJOB_MAPPING: A B C D E T per rank, the coordinates in the job's block (0 for missing "
            "axes) and the slot on the node",
            [](const RankMapContext& context) { check_bluegene(kQ, context); },
            [](const MapShape& shape, const RankMapContext& context) { return recognise(kQ, shape, context); },
            [](const Mapping& mapping, const RankMapContext& context) { return write_bluegene(kQ, mapping, context); },
            [](std::string_view text, const std::string& file, const RankMapContext& context) {
                return read_bluegene(kQ, text, file, context);
            },
            nullptr,
            launch_bgq};
}

RankMapFormat bgl_format() {
    return {"bgl",
            "Blue Gene/L and /P, BGLMPI_MAPPING: x y z t per rank, the coordinates and the slot on the node; must "
            "cover the whole partition",
            [](const RankMapContext& context) { check_bluegene(kL, context); },
            [](const MapShape& shape, const RankMapContext& context) { return recognise(kL, shape, context); },
            [](const Mapping& mapping, const RankMapContext& context) { return write_bluegene(kL, mapping, context); },
            [](std::string_view text, const std::string& file, const RankMapContext& context) {
                return read_bluegene(kL, text, file, context);
            },
            nullptr,
            launch_bgl};
}

}  // namespace haichi
