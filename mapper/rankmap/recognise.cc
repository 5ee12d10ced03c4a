// Which format a map is in, by its content.

#include <algorithm>

#include "base/errors.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

constexpr std::string_view kBlanks = " \t\r";

[[noreturn]] void refuse_line(const std::string& file, std::size_t line, std::string_view text) {
    std::string names;
    for (const RankMapFormat& format : rank_map_formats()) names += (names.empty() ? "" : ", ") + format.name;
    throw InputError({file, line}, "fits no rank-map format: " + shown(text),
                     "formats are " + names + "; name one: -f FORMAT");
}

/// Of formats with the same number of columns the one that can read the text. Their readings may not differ. When none
/// can, the first says why.
std::string the_one_that_reads(const std::vector<std::string>& candidates, std::string_view text,
                               const std::string& file, const RankMapContext& context) {
    std::string chosen;
    PlacedRanks placed;
    for (const std::string& name : candidates) {
        PlacedRanks also;
        try {
            also = rank_map_format(name).read(text, file, context);
        } catch (const Error&) {
            continue;
        }
        if (chosen.empty()) {
            chosen = name;
            placed = std::move(also);
        } else if (placed.node_of_rank != also.node_of_rank) {
            throw InputError(
                file + ": may be a map in the format " + chosen + " or in the format " + name + ", which differ here",
                "name the format: -f FORMAT");
        }
    }
    return chosen.empty() ? candidates.front() : chosen;
}

/// Formats whose records are as many numbers.
std::vector<std::string> formats_of_columns(std::size_t columns, const RankMapContext& context) {
    constexpr std::size_t kBlueGeneQ = 6;
    constexpr std::size_t kBlueGeneL = 4;
    const std::size_t address = address_length(*context.allocation);
    const bool is_grid = context.allocation->network.coordinates() != nullptr;
    std::vector<std::string> names;
    if (is_grid && columns == address) names.emplace_back("tofu6d");
    if (columns == address + 1) names.emplace_back("nsim");
    if (is_grid && columns == address + 1) {
        names.insert(context.allocation->ranks_per_node == 1 ? names.end() : names.begin(), "tofu6d");
    }
    if (is_grid && columns == kBlueGeneQ && address < kBlueGeneQ) names.emplace_back("bgq");
    if (is_grid && columns == kBlueGeneL && address < kBlueGeneL) names.emplace_back("bgl");
    return names;
}

/// "" unless the line begins with a node's name.
std::string format_of_hosts(std::string_view word, const RankMapContext& context) {
    const auto end = word.find_first_of(":,*");
    if (context.hosts == nullptr || !context.hosts->node(word.substr(0, end)).valid()) return "";
    return end != std::string_view::npos && word[end] == ':' ? "hydra" : "slurm";
}

}  // namespace

std::string recognise_rank_map(std::string_view text, const std::string& file, const RankMapContext& context) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    const bool marked = text.starts_with(kByteOrderMark);
    const auto first = text.find_first_not_of(" \t\r\n", marked ? kByteOrderMark.size() : 0);
    if (first == std::string_view::npos) throw InputError(file + ": an empty file is no rank map");
    if (text[first] == '{') return "json";
    if (text[first] == '(') return "fujitsu";
    for (TextLines lines(text, file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(kBlanks);
        if (words.empty()) continue;
        if (words[0] == "rank") return "openmpi";
        if (std::string host_format = format_of_hosts(words[0], context); !host_format.empty()) return host_format;
        if (words[0].find_first_not_of("0123456789,-") == 0) refuse_line(file, lines.number(), lines.text());
        const bool is_list = lines.text().find_first_not_of("0123456789,- \t\r") == std::string_view::npos;
        if (is_list && words[0].find_first_of(",-", 1) != std::string_view::npos) return "cray";
        const std::vector<std::string> candidates = formats_of_columns(words.size(), context);
        if (candidates.empty()) refuse_line(file, lines.number(), lines.text());
        return candidates.size() == 1 ? candidates.front() : the_one_that_reads(candidates, text, file, context);
    }
    throw InputError(file + ": only comments, no rank map");
}

}  // namespace haichi
