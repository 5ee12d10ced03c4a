#include "commlog/renumber/plan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/regular_file.h"

namespace haichi::renumber {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 30;
constexpr int kLargestCoordinate = 1 << 24;

/// Splits a text into lines of words; "#" begins a comment.
class Lines {
  public:
    explicit Lines(std::string_view text) : rest_(text) {}

    bool next() {
        while (!rest_.empty()) {
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            std::string_view line = rest_.substr(0, end);
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            ++number_;
            line = line.substr(0, line.find('#'));
            words_.clear();
            while (true) {
                line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
                if (line.empty()) break;
                const std::size_t length = std::min(line.find_first_of(" \t\r"), line.size());
                words_.push_back(line.substr(0, length));
                line.remove_prefix(length);
            }
            if (!words_.empty()) return true;
        }
        return false;
    }
    [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
    [[nodiscard]] std::size_t number() const { return number_; }

  private:
    std::string_view rest_;
    std::size_t number_ = 0;
    std::vector<std::string_view> words_;
};

int number(std::string_view word, const SourcePlace& place, const char* what) {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > kLargestCoordinate) {
        throw InputError(place, std::string("expected a ") + what + ", found " + shown(word));
    }
    return value;
}

std::string text_of(const Coordinates& node) {
    std::string text = "(";
    for (const int coordinate : node) {
        if (text.size() > 1) text += ',';
        text += std::to_string(coordinate);
    }
    return text + ")";
}

/// A rank as placed by the rank map.
struct Placed {
    Coordinates node;
    int core = 0;  ///< 0 if the rank map states none
    std::size_t line = 0;
};

std::vector<Placed> read_coordinates(const std::string& text, const std::string& path, const Coordinates& shape) {
    std::vector<Placed> ranks;
    std::size_t columns = 0;
    for (Lines lines(text); lines.next();) {
        const SourcePlace place{path, lines.number()};
        const std::size_t count = lines.words().size();
        if (columns == 0) columns = count;
        if (count != columns || (count != shape.size() && count != shape.size() + 1)) {
            throw InputError(place, "expected " + std::to_string(shape.size()) +
                                        " coordinates and optionally a core in every line, found " +
                                        std::to_string(count) + " words");
        }
        Placed rank{{}, 0, lines.number()};
        for (std::size_t k = 0; k < shape.size(); ++k) {
            rank.node.push_back(number(lines.words()[k], place, "coordinate"));
            if (rank.node.back() >= shape[k]) {
                throw InputError(place, "coordinate " + std::to_string(rank.node.back()) + " on axis " +
                                            std::to_string(k) + " is outside the shape " + shape_text(shape));
            }
        }
        if (count > shape.size()) rank.core = number(lines.words().back(), place, "core");
        ranks.push_back(std::move(rank));
    }
    return ranks;
}

std::vector<Placed> read_mapping(const std::string& text, const std::string& path, const Coordinates& shape) {
    const LocatedJson document = LocatedJson::parse(text, path);
    const nlohmann::json& root = document.root();
    if (!root.is_object() || !root.contains("node_of_rank") || !root["node_of_rank"].is_array()) {
        throw InputError(document.place(""), "a JSON map requires a list \"node_of_rank\"",
                         "convert maps of other formats with haichi convert");
    }
    if (root.contains("shape") && root["shape"] != nlohmann::json(shape)) {
        throw InputError(document.place("/shape"), "the map is for the shape " + root["shape"].dump() +
                                                       ", but the job has the shape " + shape_text(shape));
    }
    long long nodes = 1;
    for (const int size : shape) nodes *= size;
    std::vector<Placed> ranks;
    for (const nlohmann::json& entry : root["node_of_rank"]) {
        const std::string pointer = "/node_of_rank/" + std::to_string(ranks.size());
        if (!entry.is_number_integer() || entry.get<long long>() < 0 || entry.get<long long>() >= nodes) {
            throw InputError(document.place(pointer),
                             "the shape " + shape_text(shape) + " has no node " + entry.dump());
        }
        long long rest = entry.get<long long>();
        Placed rank{Coordinates(shape.size()), 0, document.place(pointer).line};
        for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) rank.node[k] = static_cast<int>(rest % shape[k]);
        ranks.push_back(std::move(rank));
    }
    return ranks;
}

std::vector<Placed> read_map(const std::string& path, const Coordinates& shape) {
    const std::string text = read_file(path, kLargestFile);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && text[first] == '{') return read_mapping(text, path, shape);
    return read_coordinates(text, path, shape);
}

std::string counted(std::size_t count, const std::string& word) {
    const std::string plural = word.ends_with('s') ? "es" : "s";
    return std::to_string(count) + " " + word + (count == 1 ? "" : plural);
}

}  // namespace

std::string shape_text(const Coordinates& shape) {
    std::string text;
    for (const int size : shape) {
        if (!text.empty()) text += 'x';
        text += std::to_string(size);
    }
    return text;
}

Coordinates parse_shape(const std::string& text) {
    Coordinates shape;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        shape.push_back(
            number(std::string_view(text).substr(begin, end - begin), {"HAICHI_RENUMBER_SHAPE", 0}, "size"));
        begin = end + 1;
    }
    if (shape.size() > kMostAxes || std::ranges::find(shape, 0) != shape.end()) {
        throw InputError("HAICHI_RENUMBER_SHAPE: " + shown(text) + " is not a shape",
                         "write a shape such as 1x2x4x2x3x2");
    }
    return shape;
}

void read_coordinate_table(const std::string& path, std::vector<Process>& processes) {
    const std::string text = read_file(path, kLargestFile);
    std::map<std::string, Coordinates> of_host;
    std::map<int, Coordinates> of_rank;
    std::size_t axes = 0;
    for (Lines lines(text); lines.next();) {
        const SourcePlace place{path, lines.number()};
        const auto& words = lines.words();
        const bool names_rank = words[0] == "rank";
        const std::size_t first = names_rank ? 2 : 1;
        if (words.size() <= first || words.size() - first > kMostAxes) {
            throw InputError(place, "expected HOST or rank R, and then the coordinates of the node");
        }
        if (axes == 0) axes = words.size() - first;
        if (words.size() - first != axes) {
            throw InputError(place, "expected " + std::to_string(axes) + " coordinates as in the lines before, found " +
                                        std::to_string(words.size() - first));
        }
        Coordinates node;
        for (std::size_t k = first; k < words.size(); ++k) node.push_back(number(words[k], place, "coordinate"));
        const bool is_new = names_rank ? of_rank.emplace(number(words[1], place, "rank"), std::move(node)).second
                                       : of_host.emplace(std::string(words[0]), std::move(node)).second;
        if (!is_new) {
            throw InputError(
                place, names_rank ? "duplicate rank " + std::string(words[1]) : "duplicate host " + shown(words[0]));
        }
    }
    for (std::size_t r = 0; r < processes.size(); ++r) {
        const std::string& host = processes[r].host;
        if (const auto rank = of_rank.find(static_cast<int>(r)); rank != of_rank.end()) {
            processes[r].node = rank->second;
        } else if (const auto found = of_host.find(host); found != of_host.end()) {
            processes[r].node = found->second;
        } else if (const auto brief = of_host.find(host.substr(0, host.find('.'))); brief != of_host.end()) {
            processes[r].node = brief->second;
        } else {
            throw InputError(path + ": the table has neither rank " + std::to_string(r) + " nor its host " +
                             shown(host));
        }
    }
}

Coordinates shape_of(const std::vector<Process>& processes) {
    Coordinates shape;
    for (const Process& process : processes) {
        if (process.node.empty()) {
            throw InputError("the coordinates of host " + shown(process.host) + " are unknown",
                             "name a table of coordinates with HAICHI_RENUMBER_TABLE");
        }
        shape.resize(process.node.size());
        for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = std::max(shape[k], process.node[k] + 1);
    }
    return shape;
}

std::string map_file(const std::string& maps, const Coordinates& shape) {
    constexpr std::string_view kPlace = "{shape}";
    const std::string name = shape_text(shape);
    std::vector<std::string> candidates;
    if (const auto at = maps.find(kPlace); at != std::string::npos) {
        candidates.push_back(std::string(maps).replace(at, kPlace.size(), name));
    } else if (std::filesystem::is_directory(maps)) {
        for (const char* ending : {".map", ".json"}) candidates.push_back(maps + "/" + name + ending);
    } else {
        throw InputError("HAICHI_RENUMBER_MAPS: " + shown(maps) +
                         " is neither a directory nor a file name with {shape}");
    }
    std::string all;
    for (const std::string& candidate : candidates) {
        if (std::filesystem::exists(candidate)) {
            check_regular_file(candidate);
            return candidate;
        }
        if (!all.empty()) all += " or ";
        all += candidate;
    }
    throw InputError("no map for the shape " + name + ": cannot find " + all);
}

std::vector<int> program_ranks(const std::vector<Process>& processes, const Coordinates& shape,
                               const std::string& map_path) {
    const std::vector<Placed> ranks = read_map(map_path, shape);
    if (ranks.size() != processes.size()) {
        throw InputError(map_path + ": the map has " + counted(ranks.size(), "rank") + ", but the job has " +
                         counted(processes.size(), "process"));
    }
    std::map<Coordinates, std::vector<int>> processes_of;
    for (std::size_t p = 0; p < processes.size(); ++p) processes_of[processes[p].node].push_back(static_cast<int>(p));
    std::map<Coordinates, std::vector<int>> ranks_of;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        if (!processes_of.contains(ranks[r].node)) {
            throw InputError(SourcePlace{map_path, ranks[r].line}, "the map puts rank " + std::to_string(r) +
                                                                       " on node " + text_of(ranks[r].node) +
                                                                       ", which has no process");
        }
        ranks_of[ranks[r].node].push_back(static_cast<int>(r));
    }
    std::vector<int> rank_of_process(processes.size());
    for (auto& [node, there] : processes_of) {
        std::vector<int>& wanted = ranks_of[node];
        if (wanted.size() != there.size()) {
            const std::size_t line = wanted.empty() ? 0 : ranks[static_cast<std::size_t>(wanted.back())].line;
            throw InputError(SourcePlace{map_path, line}, "the map puts " + counted(wanted.size(), "rank") +
                                                              " on node " + text_of(node) + ", which has " +
                                                              counted(there.size(), "process"));
        }
        std::ranges::stable_sort(wanted, {}, [&](int r) { return ranks[static_cast<std::size_t>(r)].core; });
        for (std::size_t k = 0; k < there.size(); ++k) rank_of_process[static_cast<std::size_t>(there[k])] = wanted[k];
    }
    return rank_of_process;
}

}  // namespace haichi::renumber
