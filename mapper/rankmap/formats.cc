#include "mapper/rankmap/formats.h"

#include "base/printable.h"
#include "base/quantity.h"
#include "base/split.h"
#include "commlog/workload/workload.h"

namespace haichi {

RankCollector::RankCollector(const std::string& file, const RankMapContext& context, std::string record)
    : file_(file), record_(std::move(record)), most_(context.allocation->slot_count()) {
    if (context.rank_count > 0) most_ = std::min<std::int64_t>(most_, context.rank_count);
}

PlacedRanks RankCollector::take(const RankMapContext& context, const std::string& hint) {
    read_or_note(context, MapRule::kRankCount, [&] { check_rank_count(file_, count_, context, record_, hint); });
    return std::move(placed_);
}

NumberedRanks::NumberedRanks(std::string file, const RankMapContext& context) : file_(std::move(file)) {
    most_ = context.rank_count > 0 ? context.rank_count
                                   : std::min<std::int64_t>(context.allocation->slot_count(), kMostRanks);
}

void NumberedRanks::add(std::int64_t rank, NodeId node, std::int32_t place_on_node, const SourcePlace& place) {
    if (rank < 0 || rank >= most_) {
        throw InputError(place,
                         "invalid rank: " + std::to_string(rank) + " (at most " + std::to_string(most_ - 1) + ")");
    }
    const auto r = static_cast<std::size_t>(rank);
    if (r >= placed_.node_of_rank.size()) {
        placed_.node_of_rank.resize(r + 1);
        placed_.line_of_rank.resize(r + 1, 0);
        placed_.place_of_rank.resize(r + 1, -1);
    }
    if (placed_.line_of_rank[r] != 0) {
        throw InputError(place, "duplicate rank " + std::to_string(rank) + ", first on line " +
                                    std::to_string(placed_.line_of_rank[r]));
    }
    placed_.node_of_rank[r] = node;
    placed_.line_of_rank[r] = static_cast<std::uint32_t>(place.line);
    placed_.place_of_rank[r] = place_on_node;
    ++count_;
}

void NumberedRanks::add(std::string_view rank, NodeId node, std::int32_t place_on_node, const SourcePlace& place) {
    add(parse_count(rank, largest_rank(), place), node, place_on_node, place);
}

PlacedRanks NumberedRanks::take(const RankMapContext& context, const std::string& record) {
    read_or_note(context, MapRule::kRankCount, [&] {
        if (skipped_ > 0) return;  // skipped records are already reported as problems
        check_rank_count(file_, count_, context, record, "write one " + record + " per rank");
        const auto missing = std::ranges::count(placed_.line_of_rank, 0U);
        if (missing == 0) return;
        const auto first = std::ranges::find(placed_.line_of_rank, 0U) - placed_.line_of_rank.begin();
        throw InputError(file_ + ": rank " + std::to_string(first) +
                             (missing == 1 ? " has" : " and " + std::to_string(missing - 1) + " more have") + " no " +
                             record,
                         first == 0 ? "count ranks from 0" : "");
    });
    if (std::ranges::find(placed_.place_of_rank, -1) != placed_.place_of_rank.end()) placed_.place_of_rank.clear();
    return std::move(placed_);
}

PlaceTable::PlaceTable(const Allocation& allocation, std::string what)
    : allocation_(&allocation),
      what_(std::move(what)),
      line_of_slot_(static_cast<std::size_t>(allocation.slot_count()), 0) {}

std::int32_t PlaceTable::take(NodeId node, std::string_view text, const SourcePlace& place) {
    const std::int32_t places = allocation_->slots(node);
    const auto number = static_cast<std::int32_t>(parse_count(text, kMostVertices, place));
    if (number >= places) {
        throw InputError(place,
                         "invalid " + what_ + ": " + std::to_string(number) + " (a node has the rank slots 0.." +
                             std::to_string(places - 1) + ")",
                         "set the ranks per node with §ppn");
    }
    std::uint32_t& line = line_of_slot_[node.index() * static_cast<std::size_t>(allocation_->ranks_per_node) +
                                        static_cast<std::size_t>(number)];
    if (line != 0) {
        throw InputError(place, "duplicate " + what_ + " " + std::to_string(number) + " of node " +
                                    allocation_->network.node_name(node) + ", first on line " + std::to_string(line));
    }
    line = static_cast<std::uint32_t>(place.line);
    return number;
}

void check_rank_count(const std::string& file, std::int64_t found, const RankMapContext& context,
                      const std::string& record, const std::string& hint) {
    const std::int64_t slots = context.allocation->slot_count();
    const std::string has = file + ": " + std::to_string(found) + " " + record + (found == 1 ? "" : "s");
    if (context.rank_count > 0 && found != context.rank_count) {
        throw InputError(
            has + " for " + std::to_string(context.rank_count) + (context.rank_count == 1 ? " rank" : " ranks"), hint);
    }
    if (found == 0) throw InputError(has + ": no rank is placed", hint);
    if (found > slots) {
        throw InputError(
            has + ", but the job has only " + std::to_string(slots) + (slots == 1 ? " rank slot" : " rank slots"),
            "use a larger §shape or §ppn");
    }
}

void require_hosts(const RankMapContext& context, const std::string& format) {
    if (context.hosts != nullptr) return;
    throw OptionError(
        "the format " + format + " requires host names",
        "give §hosts FILE (one name per node, in node order) or §hosts 'node[000-095]', or list the nodes by "
        "name with §nodes");
}

NodeId node_of_host(const RankMapContext& context, std::string_view name, const SourcePlace& place) {
    const NodeId node = context.hosts->node(name);
    if (!node.valid())
        throw InputError(place, "the job has no node with the name " + shown(name),
                         "use a node name of the job, as given by §hosts, §nodes or Slurm");
    return node;
}

std::optional<std::string_view> behind_host(const MapShape& shape, const RankMapContext& context) {
    if (context.hosts == nullptr || shape.words.empty()) return std::nullopt;
    const std::string_view word = shape.words[0];
    const std::string_view host = word.substr(0, word.find_first_of(":,*"));
    if (!context.hosts->node(host).valid()) return std::nullopt;
    return word.substr(host.size());
}

std::size_t columns_of(const MapShape& shape, const RankMapContext& context) {
    return shape.is_columns && !behind_host(shape, context) ? shape.words.size() : 0;
}

void check_cores(std::string_view cores, const SourcePlace& place) {
    constexpr std::int64_t kMostCores = 1 << 20;
    std::string plain;
    for (const char c : cores) {
        if (c != '{' && c != '}' && c != ' ' && c != '\t') plain += c;
    }
    const auto refuse = [&](const std::string& why) {
        throw InputError(place, why + " in the cores " + shown(cores), "list the cores of the rank, as in 0-3 or 0,2");
    };
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    for (const std::string_view part : split(plain, ',')) {
        const auto dash = part.find('-');
        if (part.empty() || part.find_first_not_of("0123456789-") != std::string_view::npos || dash == 0) {
            refuse("expected a core or a range, found " + shown(part));
        }
        const std::int64_t first = parse_count(part.substr(0, dash), kMostCores, place);
        const std::int64_t last =
            dash == std::string_view::npos ? first : parse_count(part.substr(dash + 1), kMostCores, place);
        if (last < first) refuse("the range " + shown(part) + " is empty");
        ranges.emplace_back(first, last);
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i) {
        if (ranges[i].first <= ranges[i - 1].second) refuse("duplicate core " + std::to_string(ranges[i].first));
    }
}

std::int32_t place_of_cores(std::string_view cores, const RankMapContext& context) {
    const auto number = [](std::string_view digits) {
        std::int32_t value = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
    };
    const auto dash = cores.find('-');
    const std::int64_t first = number(cores.substr(0, dash));
    const std::int64_t last = dash == std::string_view::npos ? first : number(cores.substr(dash + 1));
    const std::int64_t length = last - first + 1;
    if (first < 0 || length < 1 || first % length != 0) return -1;
    const std::int64_t place = first / length;
    return place < context.allocation->ranks_per_node ? static_cast<std::int32_t>(place) : -1;
}

void keep_distinct_places(PlacedRanks& placed, const Allocation& job) {
    if (placed.place_of_rank.empty()) return;
    std::vector<bool> taken(static_cast<std::size_t>(job.slot_count()));
    for (std::size_t r = 0; r < placed.place_of_rank.size(); ++r) {
        const std::size_t slot = placed.node_of_rank[r].index() * static_cast<std::size_t>(job.ranks_per_node) +
                                 static_cast<std::size_t>(placed.place_of_rank[r]);
        if (taken[slot] || placed.place_of_rank[r] >= job.slots(placed.node_of_rank[r])) {
            placed.place_of_rank.clear();
            return;
        }
        taken[slot] = true;
    }
}

void append_cores(std::string& text, const Mapping& mapping, RankId rank, const RankMapContext& context) {
    const std::int64_t cores = std::max(context.cores_per_rank, 1);
    const std::int64_t first = place_on_node(mapping, rank) * cores;
    append_number(text, first);
    if (cores == 1) return;
    text += '-';
    append_number(text, first + cores - 1);
}

JobSize size_of(const Mapping& mapping) {
    JobSize size{.ranks = mapping.rank_count()};
    std::vector<std::int32_t> ranks_of_node(static_cast<std::size_t>(mapping.node_count()));
    for (const NodeId node : mapping.node_of_rank()) {
        const std::int32_t ranks = ++ranks_of_node[node.index()];
        if (ranks == 1) ++size.nodes;
        size.last_node = std::max(size.last_node, node.value);
        size.ranks_per_node = std::max(size.ranks_per_node, ranks);
    }
    return size;
}

std::string cores_option(const RankMapContext& context, const std::string& option) {
    return context.cores_per_rank == 0 ? "" : " " + option + std::to_string(context.cores_per_rank);
}

namespace {

/// Quotes a word as $'...' in a single line, because a line break inside quotes would end a comment.
std::string word_with_escapes(const std::string& word) {
    std::string text;
    for (const char c : word) {
        if (c == '\'' || c == '\\') text += '\\';
        text += c;
    }
    return "$'" + without_controls(text) + "'";
}

}  // namespace

std::string shell_word(const std::string& word) {
    if (without_controls(word) != word) return word_with_escapes(word);
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+,:@%=";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'') {
            text += "'\\''";
        } else {
            text += c;
        }
    }
    return text + "'";
}

bool has_coordinates(const Allocation& allocation) { return allocation.network.coordinates() != nullptr; }

std::size_t address_length(const Allocation& allocation) {
    const Grid* grid = allocation.network.coordinates();
    return grid == nullptr ? 1 : grid->axis_count();
}

NodeId node_at_address(const Allocation& allocation, std::span<const std::string_view> words,
                       const SourcePlace& place) {
    Coordinates at;
    std::string text;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::int64_t largest =
            k < allocation.machine_sizes.size() ? allocation.machine_sizes[k] - 1 : kMostVertices;
        at.push_back(static_cast<std::int32_t>(parse_count(words[k], largest, place)));
    }
    const NodeId node = allocation.node_at_machine_coordinates(at);
    if (node.valid()) return node;
    for (const std::int32_t c : at) {
        text += text.empty() ? '(' : ',';
        append_number(text, c);
    }
    throw InputError(place, "the job has no node " + text + ")",
                     "use the coordinates of the machine, and check §shape and §origin");
}

void append_address(std::string& text, const Allocation& allocation, NodeId node) {
    for (const std::int32_t c : allocation.machine_coordinates(node)) {
        if (!text.empty() && text.back() != '\n') text += ' ';
        append_number(text, c);
    }
}

}  // namespace haichi
