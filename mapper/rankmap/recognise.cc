// Recognises the format of a map by its content. Each table entry decides whether the first record may be of its
// format.

#include <algorithm>

#include "base/errors.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

MapShape shape_of(std::string_view text, const std::string& file, std::size_t& line) {
    MapShape shape;
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) throw InputError(file + ": expected a rank map, found an empty file");
    shape.first = text[first];
    shape.start = text.substr(first, 64);
    TextLines lines(text, file);
    while (shape.words.empty() && shape.first != '{' && shape.first != '(' && lines.next())
        shape.words = lines.words(kBlanks);
    line = lines.number();
    if (shape.words.empty()) return shape;
    shape.record = lines.text();
    const bool begins_as_number = shape.words[0].find_first_not_of("0123456789,-") != 0;
    shape.is_list = begins_as_number && shape.words[0].find_first_of(",-", 1) != std::string_view::npos &&
                    shape.record.find_first_not_of("0123456789,- \t\r") == std::string_view::npos;
    shape.is_columns = begins_as_number && !shape.is_list;
    return shape;
}

std::vector<const RankMapFormat*> formats_like(const MapShape& shape, const RankMapContext& context) {
    std::vector<const RankMapFormat*> found;
    for (const Likeness wanted : {Likeness::kLikely, Likeness::kPossible}) {
        for (const RankMapFormat& format : rank_map_formats()) {
            if (format.recognise != nullptr && format.recognise(shape, context) == wanted) found.push_back(&format);
        }
    }
    return found;
}

/// Selects the candidate format that can read the text. All readings must agree. If no candidate can read it, the error
/// of the first candidate is thrown.
const RankMapFormat& the_one_that_reads(const std::vector<const RankMapFormat*>& candidates, std::string_view text,
                                        const std::string& file, const RankMapContext& context) {
    const RankMapFormat* chosen = nullptr;
    PlacedRanks placed;
    for (const RankMapFormat* format : candidates) {
        PlacedRanks also;
        try {
            also = format->read(text, file, context);
        } catch (const Error&) {
            continue;
        }
        if (chosen == nullptr) {
            chosen = format;
            placed = std::move(also);
        } else if (placed.node_of_rank != also.node_of_rank) {
            throw InputError(file + ": the formats " + chosen->name + " and " + format->name +
                                 " fit this map, but read it differently",
                             "name the format with -f FORMAT");
        }
    }
    return chosen == nullptr ? *candidates.front() : *chosen;
}

}  // namespace

std::string recognise_rank_map(std::string_view text, const std::string& file, const RankMapContext& context) {
    std::size_t line = 0;
    const MapShape shape = shape_of(without_byte_order_mark(text), file, line);
    const std::vector<const RankMapFormat*> candidates = formats_like(shape, context);
    if (candidates.size() == 1) return candidates.front()->name;
    if (!candidates.empty()) return the_one_that_reads(candidates, text, file, context).name;
    if (shape.words.empty()) throw InputError(file + ": expected a rank map, found only comments");
    const std::string_view host = shape.words[0].substr(0, shape.words[0].find_first_of(":,*"));
    if (context.hosts != nullptr && is_host_name(host)) (void)node_of_host(context, host, {file, line});
    throw InputError(
        {file, line}, "unknown rank-map format: " + shown(shape.record),
        "formats are " + rank_map_formats().listing() + "; haichi evaluate and haichi convert take one with -f FORMAT");
}

}  // namespace haichi
