// Open MPI's rankfile (--rankfile F, --map-by rankfile:file=F): "rank 0=host slot=0" per rank, in any order. Comments
// are "#...", "//..." and "/* ... */". "+n3" is the fourth node, and "user@host" is host.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

void check_openmpi(const RankMapContext& context) { require_hosts(context, "openmpi"); }

std::string write_openmpi(const Mapping& mapping, const RankMapContext& context) {
    check_openmpi(context);
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        text += "rank ";
        append_number(text, r);
        text += '=';
        text += context.hosts->name(mapping.node(RankId(r)));
        text += " slot=";
        append_number(text, place_on_node(mapping, RankId(r)));
        text += '\n';
    }
    return text;
}

/// The text with blanks in place of comments, so that lines keep their numbers.
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
    check_openmpi(context);
    return node_of_host(context, host.substr(host.find('@') + 1), place);
}

/// A slot list names the cores to which a rank is bound. Only a single number can be its slot on the node. Returns -1
/// for other lists.
std::int32_t place_of_slots(std::string_view slots, const RankMapContext& context, const SourcePlace& place) {
    if (slots.empty() || slots.find_first_not_of("0123456789,-:*") != std::string_view::npos) {
        throw InputError(place, "expected a slot list such as 0, 0-3 or 1:0-2, found " + shown(slots));
    }
    std::int32_t number = 0;
    for (const char c : slots) {
        if (c < '0' || c > '9' || number >= context.allocation->ranks_per_node) return -1;
        number = number * 10 + (c - '0');
    }
    return number < context.allocation->ranks_per_node ? number : -1;
}

void read_record(const std::vector<std::string_view>& words, std::string_view line, NumberedRanks& ranks,
                 const RankMapContext& context, const SourcePlace& place) {
    const bool fits = words.size() == 7 && words[0] == "rank" && words[2] == "=" &&
                      (words[4] == "slot" || words[4] == "slots") && words[5] == "=";
    if (!fits) throw InputError(place, "expected rank N=HOST slot=SLOTS, found " + shown(line));
    const NodeId node = node_of_word(words[3], context, place);
    ranks.add(words[1], node, place_of_slots(words[6], context, place), place);
}

/// Keeps the slots if no two ranks of a node share one.
void keep_distinct_places(PlacedRanks& placed, const Allocation& job) {
    if (placed.place_of_rank.empty()) return;
    std::vector<bool> taken(static_cast<std::size_t>(job.slot_count()));
    for (std::size_t r = 0; r < placed.place_of_rank.size(); ++r) {
        const std::size_t slot = placed.node_of_rank[r].index() * static_cast<std::size_t>(job.ranks_per_node) +
                                 static_cast<std::size_t>(placed.place_of_rank[r]);
        if (taken[slot]) {
            placed.place_of_rank.clear();
            return;
        }
        taken[slot] = true;
    }
}

PlacedRanks read_openmpi(std::string_view text, const std::string& file, const RankMapContext& context) {
    const std::string plain = without_comments(text, file);
    NumberedRanks ranks(file, context);
    for (TextLines lines(plain, file); lines.next();) {
        const std::vector<std::string_view> words = words_of(lines.text());
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        const bool is_read =
            read_or_note(context, MapRule::kRecords, [&] { read_record(words, lines.text(), ranks, context, place); });
        if (!is_read) ranks.skip();
    }
    PlacedRanks placed = ranks.take(context, "line");
    keep_distinct_places(placed, *context.allocation);
    return placed;
}

}  // namespace

RankMapFormat openmpi_format() {
    return {"openmpi",
            "Open MPI's rankfile, --rankfile F or --map-by rankfile:file=F, with lines such as rank 0=host slot=0; "
            "requires host names",
            check_openmpi,
            [](const MapShape& shape, const RankMapContext&) {
                return likely_if(!shape.words.empty() && shape.words[0] == "rank");
            },
            write_openmpi,
            read_openmpi};
}

}  // namespace haichi
