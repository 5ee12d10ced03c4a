#include "netmodel/machine/node_list.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <unordered_map>

#include "base/host_list.h"
#include "base/input_file.h"
#include "base/quantity.h"
#include "base/split.h"
#include "netmodel/machine/text_lines.h"
#include "netmodel/topology/graph.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestNodeListBytes = std::size_t{512} << 20;

bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The name without its domain. A numeric address has no domain.
std::string_view without_domain(std::string_view name) {
    const bool is_address = name.find_first_not_of("0123456789.") == std::string_view::npos;
    return is_address ? name : name.substr(0, name.find('.'));
}

/// Parses a number in 0 .. size - 1.
std::int32_t parse_position(std::string_view word, std::int32_t size, const std::string& what,
                            const SourcePlace& place) {
    const std::int64_t position = parse_count(word, kMostVertices, place);
    if (position >= size) {
        throw InputError(place,
                         "invalid " + what + ": " + shown(word) + " (the largest is " + std::to_string(size - 1) + ")");
    }
    return static_cast<std::int32_t>(position);
}

/// The vertex of a node given by its number.
VertexId vertex_of(std::int32_t number, const Machine& machine) {
    const std::int32_t nodes = terminal_count(machine);
    if (number >= 0 && number < nodes) return VertexId(number);
    throw OptionError("invalid node: " + std::to_string(number) + " (the largest is " + std::to_string(nodes - 1) +
                      ")");
}

/// The vertex of a node given by its coordinates.
VertexId vertex_of(const Coordinates& at, const Machine& machine) {
    const Grid* grid = coordinates(machine);
    if (grid == nullptr || at.size() != grid->axis_count()) {
        throw OptionError("nodes of machine " + machine.name + " do not have " + std::to_string(at.size()) +
                          " coordinates");
    }
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (at[k] >= 0 && at[k] < grid->axis(k).size) continue;
        throw OptionError("invalid coordinate " + grid->axis(k).name + ": " + std::to_string(at[k]) +
                          " (the largest is " + std::to_string(grid->axis(k).size - 1) + ")");
    }
    return grid->vertex(at);
}

/// Converts node numbers or coordinates given as values.
template <class Node>
ListedNodes listed_nodes(const std::vector<Node>& nodes, const Machine& machine, bool may_be_empty) {
    ListedNodes list;
    for (const Node& node : nodes) list.nodes.push_back(vertex_of(node, machine));
    std::vector<VertexId> sorted = list.nodes;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) throw OptionError("duplicate node " + std::to_string(twice->value));
    if (list.nodes.empty() && !may_be_empty) throw OptionError("the node list is empty");
    return list;
}

/// Collects the nodes of a list, entry by entry.
class ListReader {
  public:
    ListReader(const Machine& machine, const NodeNames& names)
        : machine_(&machine), names_(&names), grid_(coordinates(machine)), node_count_(terminal_count(machine)) {}

    void read_line(const TextLines& line, const SourcePlace& place) {
        const std::vector<std::string_view> numbers = line.words(" \t\r,()");
        if (numbers.empty()) return;
        const bool has_letters = std::ranges::any_of(line.text(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '[' || c == '{' || c == '.';
        });
        if (has_letters) {
            read_names(line.words(" \t\r"), line.text(), place);
        } else {
            add_number(numbers, line.text(), place);
        }
    }

    /// Adds the nodes of "n[1-3,11]" or "0,5". Returns their indices in the list.
    std::vector<std::size_t> add_list(std::string_view text, const SourcePlace& place) {
        // A node file may have a line for each rank slot, so the number of names can exceed the number of nodes.
        const std::int64_t most = std::max<std::int64_t>(node_count_, 1) + kMostRepeats;
        std::vector<std::size_t> added;
        bool goes_on = true;
        while (goes_on) {
            const std::size_t length = text.size();
            const std::string_view entry = next_host_entry(text);
            goes_on = entry.size() < length;
            const auto colon = outside_brackets(entry, ':');
            std::vector<std::size_t> named;
            for (const std::string& name : expand_host_list(entry.substr(0, colon), most - std::ssize(added), place)) {
                named.push_back(is_number(name)
                                    ? add(VertexId(parse_position(name, node_count_, "node", place)), "", name, place)
                                    : add(node_of_name(name, place), name, name, place));
            }
            if (colon != std::string_view::npos) set_slots(named, entry.substr(colon + 1), place);
            std::ranges::copy(named, std::back_inserter(added));
        }
        return added;
    }

    ListedNodes take() {
        if (!has_slots_) list_.slots.clear();
        if (has_numbers_) list_.names.clear();
        return std::move(list_);
    }

  private:
    static constexpr std::int64_t kMostRepeats = 1 << 20;

    void add_number(const std::vector<std::string_view>& words, std::string_view line, const SourcePlace& place) {
        const std::size_t axes = grid_ == nullptr ? 1 : grid_->axis_count();
        if (words.size() != 1 && words.size() != axes) {
            throw InputError(place, "expected a node number" +
                                        (axes > 1 ? " or " + std::to_string(axes) + " coordinates" : std::string{}) +
                                        ", found " + shown(line));
        }
        VertexId vertex;
        if (words.size() == 1) {
            vertex = VertexId(parse_position(words[0], node_count_, "node", place));
        } else {
            Coordinates at;
            for (std::size_t k = 0; k < axes; ++k) {
                at.push_back(parse_position(words[k], grid_->axis(k).size, "coordinate " + grid_->axis(k).name, place));
            }
            vertex = grid_->vertex(at);
        }
        add(vertex, "", line, place);
    }

    void read_names(const std::vector<std::string_view>& words, std::string_view line, const SourcePlace& place) {
        std::vector<std::size_t> named;  // the nodes of the last list of names
        bool has_count = false;
        for (const std::string_view word : words) {
            if (const auto equals = word.find('='); equals != std::string_view::npos && !named.empty()) {
                constexpr std::array<std::string_view, 3> kSlots = {"slots", "np", "cpus"};
                constexpr std::array<std::string_view, 2> kLimits = {"max_slots", "max-slots"};  // Open MPI
                const std::string_view key = word.substr(0, equals);
                if (std::ranges::find(kLimits, key) != kLimits.end()) continue;
                if (std::ranges::find(kSlots, key) == kSlots.end()) {
                    throw InputError(place, "unknown key " + shown(key), "state rank slots as in node7 slots=4");
                }
                if (has_count) throw InputError(place, "duplicate number of rank slots: " + shown(word));
                set_slots(named, word.substr(equals + 1), place);
                has_count = true;
            } else if (is_number(word) && !named.empty()) {
                if (has_count) throw InputError(place, "unexpected " + shown(word) + " after the rank slots of a node");
                set_slots(named, word, place);
                has_count = true;
            } else if (has_count &&
                       (word.find('@') != std::string_view::npos || word == "UNDEFINED" || word == "<NULL>")) {
                continue;  // queue and processors in SGE's host file "node7 4 all.q@node7 UNDEFINED"
            } else {
                named = add_list(word, place);
                has_count = outside_brackets(word, ':') != std::string_view::npos;
            }
        }
        if (named.empty()) throw InputError(place, "expected a node, found " + shown(line));
    }

    /// A colon inside brackets precedes a step.
    static std::size_t outside_brackets(std::string_view word, char sign) {
        const auto last = word.find_last_of("]}");
        return word.find(sign, last == std::string_view::npos ? 0 : last);
    }

    void set_slots(const std::vector<std::size_t>& nodes, std::string_view count, const SourcePlace& place) {
        const std::int64_t slots = parse_count(count, INT32_MAX, place);
        if (slots == 0) throw InputError(place, "a node with 0 rank slots");
        // Adding the node has counted one slot.
        for (const std::size_t node : nodes) list_.slots[node].count += slots - 1;
        has_slots_ = true;
    }

    VertexId node_of_name(const std::string& name, const SourcePlace& place) {
        if (!has_names_) {
            all_names_ = (*names_)();
            has_names_ = true;
            for (std::size_t i = 0; i < all_names_.size(); ++i) {
                const VertexId vertex(static_cast<std::int32_t>(i));
                vertex_of_name_.try_emplace(all_names_[i], vertex);
                const auto [host, is_new] =
                    vertex_of_host_.try_emplace(std::string(without_domain(all_names_[i])), vertex);
                if (!is_new) host->second = VertexId();  // ambiguous: two nodes differ only in the domain
            }
        }
        if (all_names_.empty()) {
            throw InputError(place, "machine " + machine_->name + " has no node with the name " + shown(name),
                             "its nodes have the numbers 0.." + std::to_string(node_count_ - 1) +
                                 "; name all of them, in this order, with §hosts FILE");
        }
        if (const auto found = vertex_of_name_.find(name); found != vertex_of_name_.end()) return found->second;
        const std::string host(without_domain(name));
        const auto found = vertex_of_host_.find(host);
        // Two full names with different domains are different nodes. A name without domain matches one with a domain.
        const bool fits = found != vertex_of_host_.end() && found->second.valid() &&
                          (host == name || all_names_[found->second.index()] == host);
        if (fits) return found->second;
        throw InputError(place, "machine " + machine_->name + " has no node with the name " + shown(name),
                         near_or_all(name, all_names_, "its nodes are "));
    }

    /// Returns the index of the node in the list. Each further mention of a name adds a slot.
    std::size_t add(VertexId vertex, const std::string& name, std::string_view text, const SourcePlace& place) {
        const auto [entry, is_new] = index_of_node_.try_emplace(vertex.value, list_.nodes.size());
        if (is_new) {
            list_.nodes.push_back(vertex);
            list_.names.push_back(name);
            list_.slots.push_back({1, place});
            has_numbers_ = has_numbers_ || name.empty();
            return entry->second;
        }
        ListedNodes::Slots& slots = list_.slots[entry->second];
        if (name.empty() || list_.names[entry->second].empty()) {
            const std::string lines =
                " on lines " + std::to_string(slots.place.line) + " and " + std::to_string(place.line);
            throw InputError(place, "duplicate node " + shown(text) + (place.line == 0 ? "" : lines));
        }
        ++slots.count;
        has_slots_ = true;
        return entry->second;
    }

    const Machine* machine_;
    const NodeNames* names_;
    const Grid* grid_;
    std::int32_t node_count_;
    ListedNodes list_;
    bool has_slots_ = false;
    bool has_numbers_ = false;
    bool has_names_ = false;
    std::vector<std::string> all_names_;
    // Only for look-ups, never iterated.
    std::unordered_map<std::int32_t, std::size_t> index_of_node_;
    std::unordered_map<std::string, VertexId> vertex_of_name_;
    std::unordered_map<std::string, VertexId> vertex_of_host_;
};

/// "node 'a'", for messages.
std::string node_text(const ListedNodes& list, std::size_t node) {
    return "node " + (list.names.empty() ? std::to_string(list.nodes[node].value) : shown(list.names[node]));
}

std::string slots_text(std::int64_t slots) {
    return std::to_string(slots) + (slots == 1 ? " rank slot" : " rank slots");
}

/// A file, or a list of names.
ListedNodes read_text(const std::string& value, const std::string& option, const Machine& machine,
                      const NodeNames& names, bool may_be_empty) {
    const auto own = [&] { return node_names(*machine.topology); };
    bool is_list = looks_like_host_list(value);
    if (!is_list && value != "-" && access(value.c_str(), F_OK) != 0) {
        const int reason = errno;
        const std::vector<std::string> known = own();
        is_list = std::ranges::find(known, value) != known.end();
        if (!is_list) {
            throw InputError("cannot read " + value + ": " + std::strerror(reason),
                             "give a file, or a list of names such as node1,node2 or node[1-8]");
        }
    }
    if (!is_list) {
        return parse_node_list(input_text(value, kLargestNodeListBytes), value, machine, names, may_be_empty);
    }
    ListReader reader(machine, names);
    reader.add_list(value, {option, 0});
    return reader.take();
}

}  // namespace

bool is_given(const NodeList& list) {
    const auto* path = std::get_if<std::string>(&list);
    return path == nullptr || !path->empty();
}

std::vector<std::string> node_names(const Topology& topology) {
    std::vector<std::string> names;
    const auto* graph = topology_value<Graph>(topology);
    if (graph == nullptr) return names;
    for (std::int32_t n = 0; n < graph->terminal_count(); ++n) names.push_back(graph->vertex_name(VertexId(n)));
    return names;
}

bool are_host_names(const std::vector<std::string>& names) {
    return !names.empty() && std::ranges::all_of(names, is_host_name) && std::ranges::none_of(names, is_number);
}

std::int32_t ListedNodes::ranks_per_node(std::optional<std::int32_t> requested) const {
    if (slots.empty()) return requested.value_or(1);
    if (!requested) {
        const auto most = std::ranges::max_element(slots, {}, &Slots::count);
        return static_cast<std::int32_t>(std::min<std::int64_t>(most->count, INT32_MAX));
    }
    const auto least = std::ranges::min_element(slots, {}, &Slots::count);
    if (*requested <= least->count) return *requested;
    throw InputError(least->place,
                     node_text(*this, static_cast<std::size_t>(least - slots.begin())) + " has " +
                         slots_text(least->count) + " for " + std::to_string(*requested) + " ranks per node",
                     "use §ppn " + std::to_string(least->count) + ", or leave §ppn out");
}

std::vector<std::int32_t> ListedNodes::slots_of_node(std::optional<std::int32_t> requested) const {
    const auto is_other = [this](const Slots& node) { return node.count != slots.front().count; };
    if (requested || std::ranges::none_of(slots, is_other)) return {};
    std::vector<std::int32_t> counts;
    for (const Slots& node : slots) {
        counts.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(node.count, INT32_MAX)));
    }
    return counts;
}

ListedNodes read_node_list(const NodeList& list, const std::string& option, const Machine& machine,
                           const NodeNames& names, bool may_be_empty) {
    if (const auto* value = std::get_if<std::string>(&list)) {
        return read_text(*value, option, machine, names, may_be_empty);
    }
    if (const auto* listed = std::get_if<std::vector<std::string>>(&list)) {
        ListReader reader(machine, names);
        for (const std::string& name : *listed) reader.add_list(name, {option, 0});
        if (listed->empty() && !may_be_empty) throw OptionError("the node list is empty");
        return reader.take();
    }
    if (const auto* numbers = std::get_if<std::vector<std::int32_t>>(&list)) {
        return listed_nodes(*numbers, machine, may_be_empty);
    }
    return listed_nodes(std::get<std::vector<Coordinates>>(list), machine, may_be_empty);
}

ListedNodes parse_node_list(std::string_view text, const std::string& file, const Machine& machine,
                            const NodeNames& names, bool may_be_empty) {
    if (trimmed(text).starts_with('{') && text.find("\"R_lite\"") != std::string_view::npos) {
        throw InputError(SourcePlace{file, 1}, "expected a node list, found a resource set of Flux (R)",
                         "use its nodes: flux R decode --nodelist < " + file);
    }
    ListReader reader(machine, names);
    SourcePlace place{file, 0};
    for (TextLines lines(text, file); lines.next();) {
        place.line = lines.number();
        reader.read_line(lines, place);
    }
    ListedNodes list = reader.take();
    if (list.nodes.empty() && !may_be_empty) throw InputError(place, "the node list is empty");
    return list;
}

}  // namespace haichi
