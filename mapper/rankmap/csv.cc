// A table for spreadsheets and scripts: the header "rank,node", followed by one line per rank in any order. A line has
// a rank and the id of its node in the job. Nodes with several ranks are on several lines.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

constexpr std::string_view kHeader = "rank,node";

void check_csv(const RankMapContext&) {}

std::string write_csv(const Mapping& mapping, const RankMapContext&) {
    std::string text = std::string(kHeader) + "\n";
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        append_number(text, r);
        text += ',';
        append_number(text, mapping.node(RankId(r)).value);
        text += '\n';
    }
    return text;
}

void read_record(std::string_view record, NumberedRanks& ranks, const RankMapContext& context,
                 const SourcePlace& place) {
    const auto comma = record.find(',');
    if (comma == std::string_view::npos || record.find(',', comma + 1) != std::string_view::npos) {
        throw InputError(place, "expected a rank and a node, as in 0,17, found " + shown(record));
    }
    const std::int64_t node = parse_count(record.substr(comma + 1), kMostVertices, place);
    const std::int32_t nodes = context.allocation->node_count();
    if (node >= nodes) {
        throw InputError(
            place,
            "invalid node: " + std::to_string(node) + " (the job has nodes 0.." + std::to_string(nodes - 1) + ")",
            "check §shape");
    }
    ranks.add(record.substr(0, comma), NodeId(static_cast<std::int32_t>(node)), -1, place);
}

PlacedRanks read_csv(std::string_view text, const std::string& file, const RankMapContext& context) {
    NumberedRanks ranks(file, context);
    bool has_header = false;
    for (TextLines lines(without_byte_order_mark(text), file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        const bool is_read = read_or_note(context, MapRule::kRecords, [&] {
            const bool is_header = words.size() == 1 && words[0] == kHeader;
            if (!has_header && !is_header) {
                throw InputError(place, "expected the header rank,node, found " + shown(lines.text()));
            }
            if (has_header && words.size() != 1) {
                throw InputError(place,
                                 "expected a rank and a node without blanks, as in 0,17, found " + shown(lines.text()));
            }
            if (has_header) read_record(words[0], ranks, context, place);
        });
        if (!is_read) ranks.skip();
        has_header = true;
    }
    return ranks.take(context, "line");
}

}  // namespace

RankMapFormat csv_format() {
    RankMapFormat format{
        "csv",
        "for spreadsheets and scripts: the header rank,node, then one line per rank with the number of its node in "
        "the job, as in json",
        check_csv,
        [](const MapShape& shape, const RankMapContext&) {
            return likely_if(shape.words.size() == 1 && shape.words[0] == kHeader);
        },
        write_csv,
        read_csv};
    format.describes_groups = true;
    return format;
}

}  // namespace haichi
