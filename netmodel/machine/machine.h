#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/reading.h"
#include "netmodel/topology/bandwidth.h"
#include "netmodel/topology/topology.h"

namespace haichi {

/// A parallel computer as users name it: a preset or a machine file. A value, always fully checked. Timing parameters
/// are optional; the packet simulator checks those that it needs.
struct Machine {
    std::string name;
    std::shared_ptr<const Topology> topology{};  ///< never null in a loaded machine
    /// Pairs of grid axes (or single axes) that form the logical axes, as {X,A} {Y,B} {Z,C}. Empty if the grid's own
    /// axes are the logical axes.
    std::vector<std::vector<std::size_t>> logical{};
    /// Some axes have no known size (plain "fx10"). A job's shape defines the size of such an axis, which never wraps.
    /// Its size in `topology` is 1; every axis with a larger size there has a known size.
    bool size_is_open = false;
    std::string routing;             ///< in the form that Topology::routing() accepts
    std::vector<VertexId> faulty{};  ///< terminals that are down
    /// Job shapes that the scheduler allocates, one size per axis of a grid; empty if not stated.
    std::vector<std::vector<std::int32_t>> allocations{};

    /// NetworkOptions::distances.
    std::vector<std::int32_t> distances{};

    /// Bandwidth of links whose class states none.
    std::int64_t link_bandwidth_bytes_per_s = 0;
    std::optional<std::int64_t> cable_latency_ps;
    std::optional<std::int64_t> host_cable_latency_ps;  ///< latency of a cable between a node and its switch

    struct Router {
        std::optional<std::int64_t> routing_time_ps;
        std::optional<std::int64_t> vc_allocation_time_ps;
        std::optional<std::int64_t> switch_allocation_time_ps;
        std::optional<std::int64_t> switch_latency_ps;
        std::optional<std::int64_t> bandwidth_bytes_per_s;
        std::optional<std::int32_t> virtual_channels;
        std::optional<std::int32_t> buffer_packets;
        std::optional<std::string> arbiter;  ///< name of the rule by which an output chooses the next packet

        friend bool operator==(const Router&, const Router&) = default;
    } router;

    std::optional<std::int64_t> packet_payload_bytes;
    std::optional<std::int64_t> packet_header_bytes;

    struct Node {
        std::int32_t nics = 1;
        std::optional<std::int64_t> nic_bandwidth_bytes_per_s;
        std::optional<std::int64_t> nic_packet_time_ps;  ///< work of a NIC on each packet that it sends
        std::optional<std::int64_t> dma_bandwidth_bytes_per_s;
        std::optional<std::int64_t> memory_bandwidth_bytes_per_s;
        std::optional<std::int64_t> mpi_call_overhead_ps;
        std::optional<std::int64_t> rendezvous_overhead_ps;
        std::optional<std::int64_t>
            rdma_overhead_ps;  ///< CPU overhead of put, get, atomic, poll; by default as MPI calls
        std::optional<std::int64_t> eager_limit_bytes;
        std::optional<std::int64_t> barrier_ps;
        std::optional<std::int64_t> barrier_step_ps;   ///< time of each of ceil(log2 ranks) steps of a hardware barrier
        std::optional<std::int32_t> barrier_groups;    ///< hardware barrier groups per node; by default without limit
        std::int32_t trunk = 1;                        ///< NICs over which a message is striped
        std::optional<std::int64_t> trunk_from_bytes;  ///< smallest striped message; `trunk` packets by default
        std::optional<std::int64_t> eager_overhead_ps;  ///< CPU overhead of an eager send; by default as other calls
        std::optional<std::string> send_copy;           ///< sends copied first: "eager" (default), "always", "never"
        std::int32_t rendezvous_round_trips = 1;        ///< round trips of empty messages before the data
        std::optional<std::string> sends;               ///< "overlap" (default) or "one-by-one"
        std::optional<std::int64_t> send_buffer_bytes;  ///< limit of eager bytes in flight; by default without limit
        std::optional<std::string> nic_order;           ///< "messages" one by one, or "packets" in turn (default)
        std::optional<std::int64_t> shared_memory_latency_ps;  ///< latency between two ranks of a node
        std::optional<std::int64_t> shared_memory_bandwidth_bytes_per_s;
        std::int32_t slots = 1;  ///< maximum number of ranks per node; 1 means not stated, so no limit
        std::string progress = "nic";

        friend bool operator==(const Node&, const Node&) = default;
    } node;
};

/// An entry of the preset table, as `haichi list machines` prints it.
struct MachinePreset {
    std::string pattern;      ///< "fx10:XxYxZ[:WRAPS]"
    std::string description;  ///< one sentence with sizes, wraps and link bandwidth
};
const std::vector<MachinePreset>& machine_presets();

/// Loads a preset, or a machine file (haichi-machine/1) by its path. Throws OptionError for an unknown preset (with a
/// did-you-mean hint), InputError with file and line for an invalid file. Reports to `reading` whether it is a preset
/// or a file, and which graph file it names.
Machine load_machine(const std::string& name_or_path, const Reading& reading = {});

/// All input that defines a machine. It reproduces the machine on computers without its files.
struct MachineSource {
    std::string name;                   ///< in the form that load_machine() accepts
    std::optional<std::string> text{};  ///< text of the machine file; empty for a preset, or if not read yet
    /// The graph file that the name or the machine file refers to. load_machine() sets its path.
    NamedFile graph{};
};
/// Loads the machine of `source`. Reads missing texts from their files and stores them in `source`.
Machine load_machine(MachineSource& source, const Reading& reading = {});

/// The machine's coordinates, as Network::coordinates(); null if nodes have none.
const Grid* coordinates(const Machine& machine);

/// A machine with only a topology. Its bandwidth is the bandwidth of the fastest links.
Machine machine_of(std::shared_ptr<const Topology> topology, std::string name);

/// Number of compute nodes in the whole machine.
std::int32_t terminal_count(const Machine& machine);

/// The machine for the name of a preset. Empty if no preset has the word before the first colon. Throws OptionError for
/// invalid parameters and UnsupportedError for presets that do not exist yet. `graph` as in parse_machine().
std::optional<Machine> preset_machine(std::string_view name, NamedFile* graph = nullptr);
/// Returns the text of a machine file for the preset, with the sources of its values. Throws OptionError for an unknown
/// preset, for one without a machine file (graph:FILE), and for open sizes.
std::string preset_text(std::string_view name);
/// The words of all presets before the first colon.
const std::vector<std::string>& preset_words();

/// Parses the text of a machine file. Reads a graph file that it names from the directory of `file`, unless `graph` has
/// its text. Stores the text in `graph`.
Machine parse_machine(std::string_view text, const std::string& file, NamedFile* graph = nullptr);

}  // namespace haichi
