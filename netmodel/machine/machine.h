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

/// A parallel computer as users name it: a preset or a machine file. A value, fully checked when it exists. Timing
/// parameters are optional here; the packet simulator asks for those it needs.
struct Machine {
    std::string name;
    std::shared_ptr<const Topology> topology{};  ///< never null in a machine that was loaded
    /// Pairs (or single axes) of a grid that form the logical axes, e.g. {X,A} {Y,B} {Z,C}; empty: the axes themselves.
    std::vector<std::vector<std::size_t>> logical{};
    /// Some axes have no known size (bare "fx10"): a job's shape gives it, and they never wrap. `topology` holds such
    /// an axis with size 1; all its longer axes are known.
    bool size_is_open = false;
    std::string routing;             ///< as Topology::routing() takes it
    std::vector<VertexId> faulty{};  ///< terminals that are down
    /// Shapes that the scheduler gives to jobs, one size per axis of a grid; empty: not stated.
    std::vector<std::vector<std::int32_t>> allocations{};

    /// Of links whose class states none.
    std::int64_t link_bandwidth_bytes_per_s = 0;
    std::optional<std::int64_t> cable_latency_ps;

    struct Router {
        std::optional<std::int64_t> routing_time_ps;
        std::optional<std::int64_t> vc_allocation_time_ps;
        std::optional<std::int64_t> switch_allocation_time_ps;
        std::optional<std::int64_t> switch_latency_ps;
        std::optional<std::int64_t> bandwidth_bytes_per_s;
        std::optional<std::int32_t> virtual_channels;
        std::optional<std::int32_t> buffer_packets;

        friend bool operator==(const Router&, const Router&) = default;
    } router;

    std::optional<std::int64_t> packet_payload_bytes;
    std::optional<std::int64_t> packet_header_bytes;

    struct Node {
        std::int32_t nics = 1;
        std::optional<std::int64_t> nic_bandwidth_bytes_per_s;
        std::optional<std::int64_t> dma_bandwidth_bytes_per_s;
        std::optional<std::int64_t> memory_bandwidth_bytes_per_s;
        std::optional<std::int64_t> mpi_call_overhead_ps;
        std::optional<std::int64_t> rendezvous_overhead_ps;
        std::optional<std::int64_t> rdma_overhead_ps;  ///< of a put, get, atomic or poll; empty: as of MPI calls
        std::optional<std::int64_t> eager_limit_bytes;
        std::optional<std::int64_t> barrier_ps;
        std::optional<std::int64_t> barrier_step_ps;   ///< of a hardware barrier: of each of ceil(log2 ranks) steps
        std::optional<std::int32_t> barrier_groups;    ///< with hardware barriers, of each node; empty: any number
        std::int32_t trunk = 1;                        ///< NICs that a message is striped over
        std::optional<std::int64_t> trunk_from_bytes;  ///< the smallest message that is; empty: one of `trunk` packets
        std::optional<std::int64_t>
            eager_overhead_ps;  ///< host time of a call that sends eagerly; empty: as other calls
        std::optional<std::string>
            send_copy;  ///< which sends are copied first: "eager" (empty too), "always" or "never"
        std::int32_t rendezvous_round_trips = 1;        ///< of empty messages, before the data
        std::optional<std::string> sends;               ///< "overlap" (empty too) or "one-by-one"
        std::optional<std::int64_t> send_buffer_bytes;  ///< of eager messages under way; empty: any number
        std::optional<std::string> nic_order;  ///< "messages": one after the other; "packets" (empty too): in turn
        std::optional<std::int64_t> shared_memory_latency_ps;  ///< of a message between two ranks of a node
        std::optional<std::int64_t> shared_memory_bandwidth_bytes_per_s;
        std::int32_t slots = 1;  ///< most ranks of a node; 1: not stated, so any number is taken
        std::string progress = "nic";

        friend bool operator==(const Node&, const Node&) = default;
    } node;
};

/// One row of the preset table, as `haichi list machines` prints it.
struct MachinePreset {
    std::string pattern;      ///< "fx10:XxYxZ[:WRAPS]"
    std::string description;  ///< one sentence with sizes, wraps and link bandwidth
};
const std::vector<MachinePreset>& machine_presets();

/// A preset name, or the path of a machine file (haichi-machine/1). Throws OptionError for an unknown preset (with
/// did-you-mean), InputError with file and line for a bad file. `reading` is told which it is, and the graph file.
Machine load_machine(const std::string& name_or_path, const Reading& reading = {});

/// All that a machine is made of: with it, the machine can be made again where its files are not.
struct MachineSource {
    std::string name;                   ///< as load_machine() takes it
    std::optional<std::string> text{};  ///< of the machine file; nothing: a preset, or not read yet
    NamedFile graph{};                  ///< that either names; its path is set by load_machine()
};
/// The same; texts that the source lacks are read from their files, and kept in it.
Machine load_machine(MachineSource& source, const Reading& reading = {});

/// The machine's coordinates, as Network::coordinates(); null where nodes have none.
const Grid* coordinates(const Machine& machine);

/// Compute nodes of the whole machine, numbered from 0.
std::int32_t terminal_count(const Machine& machine);

/// The machine that a preset's name stands for, or nothing when the word before the first ":" is no preset's. Throws
/// OptionError for wrong parameters and UnsupportedError for presets that do not exist yet. `graph` as in
/// parse_machine().
std::optional<Machine> preset_machine(std::string_view name, NamedFile* graph = nullptr);
/// The same machine as a machine file that states where its values come from. Throws OptionError for an unknown preset,
/// one without a machine file (graph:FILE), and open sizes.
std::string preset_text(std::string_view name);
/// The words before the first ":" of all presets.
const std::vector<std::string>& preset_words();

/// Parses the text of a machine file. A graph file that it names is read from the folder of `file`, unless its text is
/// in `graph`, where it is kept.
Machine parse_machine(std::string_view text, const std::string& file, NamedFile* graph = nullptr);

}  // namespace haichi
