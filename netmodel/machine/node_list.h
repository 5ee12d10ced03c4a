#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/errors.h"
#include "netmodel/machine/machine.h"
#include "netmodel/topology/grid.h"
#include "netmodel/topology/ids.h"

namespace haichi {

/// Nodes of a machine, in order. They are given by their numbers, by their coordinates on a grid, by their names, or by
/// a text for read_node_list(). An empty text means that no list is given.
using NodeList =
    std::variant<std::string, std::vector<std::int32_t>, std::vector<Coordinates>, std::vector<std::string>>;
bool is_given(const NodeList& list);

/// A function that returns the names of a machine's nodes in node order, or nothing if nodes have only numbers. It is
/// called when a list contains a name.
using NodeNames = std::function<std::vector<std::string>()>;

/// The names that a network file gives the terminals of a topology; empty for other topologies.
std::vector<std::string> node_names(const Topology& topology);
/// Whether schedulers can use the names: all are valid host names, and none is a number.
bool are_host_names(const std::vector<std::string>& names);

/// The nodes of a list, with their names and rank slots if the list states them.
struct ListedNodes {
    /// Rank slots of a node, and the line that states them.
    struct Slots {
        std::int64_t count = 0;
        SourcePlace place;
    };

    std::vector<VertexId> nodes;
    std::vector<std::string> names;  ///< as listed; empty if some nodes are listed by number or coordinates
    std::vector<Slots> slots;        ///< per node; empty if the list does not state them

    /// The maximum number of ranks per node: the request if there is one, otherwise the most listed slots, otherwise
    /// 1. Throws InputError for a request that exceeds the slots of a node.
    [[nodiscard]] std::int32_t ranks_per_node(std::optional<std::int32_t> requested) const;
    /// The slots of each node if they are unequal and no number is requested; otherwise empty.
    [[nodiscard]] std::vector<std::int32_t> slots_of_node(std::optional<std::int32_t> requested) const;
};

/// Reads the value of an option. It is a file, a list of names or numbers such as "n[1-3,11]", or an array from the
/// caller. `option` is the name of the option for error messages, such as "§nodes". Throws InputError or OptionError.
ListedNodes read_node_list(const NodeList& list, const std::string& option, const Machine& machine,
                           const NodeNames& names, bool may_be_empty = false);

/// Parses a file with a job's nodes or faulty ones, in its order. "#" starts a comment. A line has one of these forms:
///
/// - the number of one node, or its coordinates on the machine
/// - names and lists of names: "node7", "n[1-3,11]", "a,b", "a b"
/// - a name with its rank slots: "node7:4", "node7 4", "node7 slots=4" (also np= and cpus=), or a line of SGE's host
///   file. A name on several lines has a slot for each.
///
/// A domain is ignored if only the listed name or only the machine's name has one. Throws InputError with file and
/// line, for example for a duplicate number.
ListedNodes parse_node_list(std::string_view text, const std::string& file, const Machine& machine,
                            const NodeNames& names, bool may_be_empty = false);

}  // namespace haichi
