#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reading.h"
#include "netmodel/topology/machine_section.h"
#include "netmodel/topology/topology.h"

namespace haichi {

/// The input of a topology in a machine file.
struct TopologySection {
    const MachineSection& section;  ///< "topology"; its keys are TopologyRow::keys
    std::int64_t link_bandwidth_bytes_per_s = 0;
    std::optional<std::int64_t> packet_payload_bytes;  ///< from "packet", if stated
    /// The file that the section names, such as a graph file. If its text is set, that text is used instead of the
    /// file.
    NamedFile& file;
};

/// The input of a topology in the name of a machine.
struct TopologyParameters {
    std::string_view machine;              ///< the whole name, for messages: "torus:4x4"
    std::optional<std::string_view> text;  ///< text after the first ":"; absent only if parameters are optional
    NamedFile& file;
};

struct ReadTopology {
    std::shared_ptr<const Topology> topology;
    std::vector<std::vector<std::size_t>> logical{};  ///< Machine::logical, for topologies with coordinates
};

/// A topology defined by its parameters alone, WORD:PARAMETERS.
struct TopologyPreset {
    enum class Parameters : std::uint8_t { kOptional, kRequired };
    std::string word;
    std::string pattern;
    std::string sentence;
    std::string example;  ///< the name of a small machine: "torus:4x4"
    Parameters parameters = Parameters::kRequired;
    /// Name, without ".json", of the file in machines/ that has all values except the topology. Empty if only the
    /// topology is known; link bandwidths are then those of its classes.
    std::string machine_file;
    std::shared_ptr<const Topology> (*read)(const TopologyParameters&) = nullptr;
};

/// Description of a routing for users, for example "minimal".
struct RoutingWords {
    std::string pattern;
    std::string sentence;
};

/// A kind of topology that a user can name; an entry of topologies().
struct TopologyRow {
    std::string name;               ///< "kind" in a machine file
    std::string sentence;           ///< description
    std::vector<std::string> keys;  ///< keys of "topology" in a machine file, besides "kind"
    ReadTopology (*read)(const TopologySection&) = nullptr;
    std::string example;  ///< value of "topology" in a machine file, for the same topology as the preset's example if
                          ///< there is one
    std::string example_file;  ///< text of the other file that the example names; may be empty
    std::optional<TopologyPreset> preset{};
    std::vector<RoutingWords> routings{};
    std::vector<std::string> routing_keys{};  ///< keys of "routing", besides "kind"
    /// Reads the routing that the section states. Null: "kind" is the routing's text.
    std::string (*read_routing)(const MachineSection&, const Topology&) = nullptr;
};

/// Reads "bandwidth", a list with one entry for each of the first classes. Throws InputError for more than `classes`
/// entries.
std::vector<std::int64_t> read_class_bandwidths(const MachineSection& section, std::size_t classes);

}  // namespace haichi
