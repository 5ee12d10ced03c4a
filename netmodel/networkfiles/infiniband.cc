#include "netmodel/networkfiles/infiniband.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/split.h"
#include "netmodel/networkfiles/graph_builder.h"

namespace haichi {

namespace {

/// Data rate of a lane, after line coding.
struct LaneSpeed {
    std::string_view name;
    std::int64_t bits_per_s;
};

constexpr std::int64_t kMega = 1'000'000;
constexpr std::array<LaneSpeed, 9> kLaneSpeeds = {{{"SDR", 2000 * kMega},
                                                   {"DDR", 4000 * kMega},
                                                   {"QDR", 8000 * kMega},
                                                   {"FDR10", 10'000 * kMega},
                                                   {"FDR", 13'636 * kMega},
                                                   {"EDR", 25'000 * kMega},
                                                   {"HDR", 50'000 * kMega},
                                                   {"NDR", 100'000 * kMega},
                                                   {"XDR", 200'000 * kMega}}};

/// Data rates of a lane by the signal rate in Gbit/s, which opensm prints.
constexpr std::array<LaneSpeed, 11> kSignalSpeeds = {{{"2.5", 2000 * kMega},
                                                      {"5", 4000 * kMega},
                                                      {"10", 8000 * kMega},
                                                      {"FDR10", 10'000 * kMega},
                                                      {"14", 13'636 * kMega},
                                                      {"25", 25'000 * kMega},
                                                      {"50", 50'000 * kMega},
                                                      {"100", 100'000 * kMega},
                                                      {"200", 200'000 * kMega},
                                                      {"14.0625", 13'636 * kMega},
                                                      {"25.78125", 25'000 * kMega}}};

template <std::size_t N>
std::optional<std::int64_t> lanes_bandwidth(std::string_view width, std::string_view speed,
                                            const std::array<LaneSpeed, N>& speeds) {
    std::int64_t lanes = 0;
    const auto [end, error] = std::from_chars(width.data(), width.data() + width.size(), lanes);
    const auto known = std::ranges::find(speeds, speed, &LaneSpeed::name);
    if (error != std::errc{} || end != width.data() + width.size() || lanes < 1 || lanes > 12 ||
        known == speeds.end()) {
        return std::nullopt;
    }
    return lanes * known->bits_per_s / 8;
}

bool is_adapter_word(std::string_view word) {
    for (const std::string_view prefix : {"HCA-", "mlx", "hfi", "qib", "ib", "bnxt_re", "irdma", "mthca", "efa"}) {
        if (word.starts_with(prefix) && word.size() > prefix.size()) return true;
    }
    return false;
}

/// The host name in the description of an adapter; empty if the description names only the product.
std::string host_of(std::string_view description) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split(trimmed(description, " '\t"), ' ')) {
        if (!word.empty()) words.push_back(trimmed(word, "'"));
    }
    if (words.size() == 1) return std::string(words[0]);
    if (words.size() >= 2 && is_adapter_word(words[1])) return std::string(words[0]);
    return {};
}

/// The cables of a subnet, by the GUIDs and ports of their ends.
class Fabric {
  public:
    enum class Kind : std::uint8_t { kAdapter, kSwitch, kRouter };

    struct End {
        Kind kind = Kind::kAdapter;
        std::string guid;  ///< without 0x and leading zeros
        std::string port;
        std::string description{};
    };

    explicit Fabric(const NetworkText& from) : from_(from) {}

    /// Stores the first description of a device; some lines have none.
    void describe(const std::string& guid, std::string_view description) {
        std::string& known = description_[guid];
        if (known.empty()) known = description;
    }

    /// Adds a cable, or completes the known one if its other end has already stated it.
    void add_cable(const End& a, const End& b, std::optional<std::int64_t> bandwidth, const SourcePlace& place) {
        describe(a.guid, a.description);
        describe(b.guid, b.description);
        std::string one = a.guid + ":" + a.port;
        std::string other = b.guid + ":" + b.port;
        if (other < one) std::swap(one, other);
        const auto [known, is_new] = number_.try_emplace(one + " " + other, cables_.size());
        if (is_new) {
            cables_.push_back({a, b, bandwidth, place});
        } else {
            cables_[known->second].is_of_both = true;
        }
    }

    /// Throws InputError at the first cable that one switch states and the switch at its other end does not: the text
    /// was cut off. Records of adapters come last and repeat what switches state, so they may be missing.
    void check_both_ends(bool has_adapter_records) const {
        bool is_adapter_missing = false;
        for (const Cable& cable : cables_) {
            const bool is_loop = cable.a.guid == cable.b.guid && cable.a.port == cable.b.port;
            if (cable.is_of_both || is_loop) continue;
            if (cable.b.kind == Kind::kAdapter) {
                is_adapter_missing = true;
                continue;
            }
            throw InputError(cable.place,
                             "the record of device " + shown(cable.b.guid) + " does not state this cable at its port " +
                                 shown(cable.b.port) + ", so the file is incomplete",
                             "save the whole output of ibnetdiscover");
        }
        if (is_adapter_missing && !has_adapter_records)
            from_.notes.push_back(from_.file + " has no records of adapters (Ca): it may lack nodes at its end");
    }

    [[nodiscard]] Graph graph() {
        GraphBuilder graph;
        for (const Cable& cable : cables_) {
            const auto a = vertex(graph, cable.a);
            const auto b = vertex(graph, cable.b);
            if (!a || !b || *a == *b) continue;
            graph.connect(*a, *b, cable.bandwidth ? *cable.bandwidth : from_.assumed_bandwidth());
        }
        if (graph.node_count() == 0) {
            throw InputError(SourcePlace{from_.file, 0}, "the file has no adapter with a cable",
                             "save the output of a node that reaches the whole fabric");
        }
        if (nameless_ > 0) {
            from_.notes.push_back(std::to_string(nameless_) + (nameless_ == 1 ? " adapter has" : " adapters have") +
                                  " no host name in " + from_.file + "; each is a node, named by its GUID");
        }
        graph.sort_nodes();
        return graph.graph(from_.file);
    }

  private:
    struct Cable {
        End a;
        End b;
        std::optional<std::int64_t> bandwidth;
        SourcePlace place;        ///< the first line that states the cable
        bool is_of_both = false;  ///< both ends state the cable
    };

    std::optional<GraphBuilder::Vertex> vertex(GraphBuilder& graph, const End& end) {
        const std::string& description = description_[end.guid];
        if (end.kind != Kind::kAdapter) {
            const std::string name = switch_name(description);
            // Switches often share one description, the product's name.
            return graph.network_switch(name.empty() ? end.guid : name + " " + end.guid);
        }
        if (description.find("Aggregation Node") != std::string::npos) return std::nullopt;
        std::string host = host_of(description);
        if (host.empty()) {
            host = "H-" + end.guid;
            if (!graph.has_node(host)) ++nameless_;
        }
        return graph.node(host);
    }

    /// Returns "leaf1" for "MF0;leaf1:MQM9700/U1". Other descriptions are returned whole.
    static std::string switch_name(const std::string& description) {
        const auto semicolon = description.find(';');
        const auto colon = description.find(':', semicolon == std::string::npos ? 0 : semicolon);
        if (semicolon == std::string::npos || colon == std::string::npos) return description;
        return description.substr(semicolon + 1, colon - semicolon - 1);
    }

    const NetworkText& from_;
    std::vector<Cable> cables_;
    std::unordered_map<std::string, std::size_t> number_;       // by the ends of a cable; only for look-ups
    std::unordered_map<std::string, std::string> description_;  // only for look-ups, never iterated
    std::int32_t nameless_ = 0;
};

std::string normal_guid(std::string_view guid) {
    if (guid.starts_with("0x")) guid.remove_prefix(2);
    while (guid.size() > 1 && guid.front() == '0') guid.remove_prefix(1);
    return std::string(guid);
}

/// Returns the text between the next two quotation marks and removes it from `rest`. Empty without quotation marks.
std::optional<std::string_view> take_quoted(std::string_view& rest) {
    const auto first = rest.find('"');
    const auto last = first == std::string_view::npos ? first : rest.find('"', first + 1);
    if (last == std::string_view::npos) return std::nullopt;
    const std::string_view quoted = rest.substr(first + 1, last - first - 1);
    rest.remove_prefix(last + 1);
    return quoted;
}

/// The text between the first pair of brackets.
std::optional<std::string_view> bracketed(std::string_view text) {
    const auto first = text.find('[');
    const auto last = text.find(']', first == std::string_view::npos ? 0 : first);
    if (first == std::string_view::npos || last == std::string_view::npos) return std::nullopt;
    return text.substr(first + 1, last - first - 1);
}

/// Parses the id of a device in ibnetdiscover's output: "S-0002c9..", "H-..", "R-..".
Fabric::End device(std::string_view id, const SourcePlace& place) {
    Fabric::End end;
    if (id.starts_with("S-")) {
        end.kind = Fabric::Kind::kSwitch;
    } else if (id.starts_with("R-")) {
        end.kind = Fabric::Kind::kRouter;
    } else if (!id.starts_with("H-")) {
        throw InputError(place, "expected a device such as \"S-0002c90300000001\", found " + shown(id));
    }
    end.guid = normal_guid(id.substr(2));
    return end;
}

/// Converts the last word of a line, such as "4xEDR", to bytes per second.
std::optional<std::int64_t> stated_bandwidth(std::string_view line, const SourcePlace& place) {
    line = trimmed(line);
    const std::string_view word = line.substr(line.find_last_of(" \t") + 1);
    const auto times = word.find('x');
    if (times == std::string_view::npos || times == 0 || word[0] < '0' || word[0] > '9') return std::nullopt;
    const auto bandwidth = lanes_bandwidth(word.substr(0, times), word.substr(times + 1), kLaneSpeeds);
    if (!bandwidth)
        throw InputError(place, "unknown link speed " + shown(word),
                         "speeds are SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR and XDR");
    return bandwidth;
}

bool is_other_line(std::string_view line) {
    for (const std::string_view start :
         {"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "Chassis ", "Non-Chassis", "Spine ",
          "Line ", "ibwarn:", "DR path", "Reported"}) {
        if (line.starts_with(start)) return true;
    }
    return false;
}

bool is_device_line(std::string_view line) {
    for (const std::string_view word : {"Switch", "Ca", "Rt"}) {
        if (line.starts_with(word) && line.size() > word.size() &&
            (line[word.size()] == ' ' || line[word.size()] == '\t'))
            return true;
    }
    return false;
}

/// The value after a key in a record of subnet.lst: "PN:0a".
std::string_view value_of(std::string_view record, std::string_view key) {
    const auto found = record.find(key);
    if (found == std::string_view::npos) return {};
    record.remove_prefix(found + key.size());
    return record.substr(0, record.find_first_of(" \t}"));
}

Fabric::End subnet_end(std::string_view record, const SourcePlace& place) {
    Fabric::End end;
    const std::string_view kind = trimmed(record).substr(0, 2);
    if (kind == "SW") {
        end.kind = Fabric::Kind::kSwitch;
    } else if (kind == "Rt" || kind == "RT") {
        end.kind = Fabric::Kind::kRouter;
    } else if (kind != "CA") {
        throw InputError(place, "expected CA or SW, found " + shown(record));
    }
    end.guid = normal_guid(value_of(record, "NodeGUID:"));
    end.port = normal_guid(value_of(record, "PN:"));
    const auto open = record.find('{');
    if (open != std::string_view::npos)
        end.description = trimmed(record.substr(open + 1, record.find('}', open) - open - 1));
    if (end.guid.empty()) throw InputError(place, "a record without NodeGUID: " + shown(record));
    return end;
}

}  // namespace

bool is_ibnetdiscover(std::string_view text) {
    text = text.substr(0, std::size_t{1} << 16);
    if (text.find("# Topology file: generated on") != std::string_view::npos) return true;
    for (const std::string_view line : split(text, '\n')) {
        if (is_device_line(line) &&
            (line.find("\"S-") != std::string_view::npos || line.find("\"H-") != std::string_view::npos))
            return true;
    }
    return false;
}

Graph read_ibnetdiscover(const NetworkText& from) {
    Fabric fabric(from);
    std::optional<Fabric::End> at;
    bool has_adapter_records = false;
    std::size_t number = 0;
    for (const std::string_view raw : split(from.text, '\n')) {
        const SourcePlace place{from.file, ++number};
        std::string_view line = trimmed(raw);
        if (line.empty() || line.front() == '#' || is_other_line(line)) continue;
        if (is_device_line(line)) {
            const auto id = take_quoted(line);
            if (!id) throw InputError(place, "a device without its GUID: " + shown(raw));
            at = device(*id, place);
            has_adapter_records |= at->kind == Fabric::Kind::kAdapter;
            at->description = take_quoted(line).value_or("");
            fabric.describe(at->guid, at->description);
            continue;
        }
        if (line.front() != '[') throw InputError(place, "expected a device or a port, found " + shown(raw));
        if (!at) throw InputError(place, "a port before the first Switch, Ca or Rt: " + shown(raw));
        const auto port = bracketed(line);
        std::string_view rest = line;
        const auto id = take_quoted(rest);
        const auto other_port = bracketed(rest.substr(0, rest.find('#')));
        if (!port || !id || !other_port)
            throw InputError(place, "expected [PORT] \"DEVICE\"[PORT], found " + shown(raw));
        at->port = *port;
        Fabric::End other = device(*id, place);
        other.port = *other_port;
        std::string_view comment = rest.substr(std::min(rest.find('#'), rest.size()));
        const std::string_view after = comment;
        other.description = take_quoted(comment).value_or("");
        fabric.add_cable(*at, other, stated_bandwidth(after, place), place);
    }
    fabric.check_both_ends(has_adapter_records);
    return fabric.graph();
}

bool is_subnet_list(std::string_view text) {
    const std::string_view start = trimmed(text.substr(0, 4096));
    return start.starts_with('{') && start.find("NodeGUID:") != std::string_view::npos &&
           start.find("PN:") != std::string_view::npos;
}

Graph read_subnet_list(const NetworkText& from) {
    Fabric fabric(from);
    std::size_t number = 0;
    for (const std::string_view raw : split(from.text, '\n')) {
        const SourcePlace place{from.file, ++number};
        const std::string_view line = trimmed(raw);
        if (line.empty() || line.front() == '#') continue;
        const auto middle = line.find("} {");
        const auto end = line.rfind('}');
        if (line.front() != '{' || middle == std::string_view::npos || end <= middle) {
            throw InputError(place, "expected { DEVICE } { DEVICE } PHY=.. SPD=.., found " + shown(raw));
        }
        // Descriptions are in braces as well, so only the last "} {" separates the two records.
        const auto border = line.rfind("} {", end);
        const std::string_view state = line.substr(end + 1);
        std::string_view width = value_of(state, "PHY=");
        if (width.ends_with('x')) width.remove_suffix(1);
        const auto bandwidth = lanes_bandwidth(width, value_of(state, "SPD="), kSignalSpeeds);
        if (!bandwidth) throw InputError(place, "unknown link speed in " + shown(trimmed(state)));
        fabric.add_cable(subnet_end(line.substr(1, border - 1), place),
                         subnet_end(line.substr(border + 3, end - border - 3), place), bandwidth, place);
    }
    return fabric.graph();
}

}  // namespace haichi
