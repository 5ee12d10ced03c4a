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

/// What a topology is read from in a machine file.
struct TopologySection {
    const MachineSection& section;  ///< "topology"; its keys are the row's
    std::int64_t link_bandwidth_bytes_per_s = 0;
    std::optional<std::int64_t> packet_payload_bytes;  ///< of "packet", where it is stated
    NamedFile& file;  ///< of another file that the section names: its text is taken when it is there
};

/// What a topology is read from in the name of a machine.
struct TopologyParameters {
    std::string_view machine;              ///< the whole name, for messages: "torus:4x4"
    std::optional<std::string_view> text;  ///< behind the first ":"; nothing only where they are optional
    NamedFile& file;
};

struct ReadTopology {
    std::shared_ptr<const Topology> topology;
    std::vector<std::vector<std::size_t>> logical{};  ///< Machine::logical, with coordinates
};

/// A topology by its parameters alone, WORD:PARAMETERS.
struct TopologyPreset {
    enum class Parameters : std::uint8_t { kOptional, kRequired };
    std::string word;
    std::string pattern;
    std::string sentence;
    std::string example;  ///< the name of a small machine: "torus:4x4"
    Parameters parameters = Parameters::kRequired;
    /// The file of machines/, without ".json", that has all but the topology; empty: nothing else is known, and links
    /// are as fast as the topology says.
    std::string machine_file;
    std::shared_ptr<const Topology> (*read)(const TopologyParameters&) = nullptr;
};

/// For people: "minimal", and when it is what.
struct RoutingWords {
    std::string pattern;
    std::string sentence;
};

/// A kind of topology that a user can name. The rows are topologies().
struct TopologyRow {
    std::string name;               ///< "kind" in a machine file
    std::string sentence;           ///< what it is
    std::vector<std::string> keys;  ///< of "topology" in a machine file, besides "kind"
    ReadTopology (*read)(const TopologySection&) = nullptr;
    std::string example;       ///< "topology" of a machine file: that of the preset's example, if there is one
    std::string example_file;  ///< the text of the other file that it names; empty: none
    std::optional<TopologyPreset> preset{};
    std::vector<RoutingWords> routings{};
    std::vector<std::string> routing_keys{};  ///< of "routing", besides "kind"
    /// The routing that the section states; null: its "kind" is the routing's text.
    std::string (*read_routing)(const MachineSection&, const Topology&) = nullptr;
};

/// "bandwidth": a list, one for each of the first classes. More than `classes` are an error of the file.
std::vector<std::int64_t> read_class_bandwidths(const MachineSection& section, std::size_t classes);

}  // namespace haichi
