#include "netmodel/networkfiles/network_file.h"

#include <algorithm>

#include "base/errors.h"
#include "base/split.h"
#include "netmodel/networkfiles/hwloc_xml.h"
#include "netmodel/networkfiles/infiniband.h"
#include "netmodel/networkfiles/mapper_files.h"
#include "netmodel/networkfiles/other_kinds.h"
#include "netmodel/networkfiles/slurm_topology.h"
#include "netmodel/networkfiles/topograph.h"
#include "netmodel/topology/graphml.h"

namespace haichi {

namespace {

bool is_graphml(std::string_view text) {
    return text.find("<graphml") != std::string_view::npos && !is_flux_recipe(text);
}

Graph read_graphml_network(const NetworkText& from) {
    return parse_graphml(from.text, from.file, from.default_bandwidth_bytes_per_s);
}

}  // namespace

std::int64_t NetworkText::assumed_bandwidth() const {
    constexpr std::int64_t kAssumed = 12'500'000'000;
    if (default_bandwidth_bytes_per_s) return *default_bandwidth_bytes_per_s;
    const std::string note = file +
                             " states no bandwidths; haichi assumes 100 Gbit/s for every link. To set another "
                             "bandwidth, use a machine file with \"kind\": \"graph\"";
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    return kAssumed;
}

const Table<NetworkFileRow>& network_files() {
    static const Table<NetworkFileRow> kTable({"network file format", "network file formats"}, [] {
        std::vector<NetworkFileRow> rows = {
            {"graphml", "GraphML with the bandwidths of edges, as networkx and igraph write it", "a GraphML file",
             is_graphml, read_graphml_network},
            {"slurm", "Slurm's topology.conf or topology.yaml, or the output of scontrol show topology",
             "a Slurm topology file", is_slurm_topology, read_slurm_topology},
            {"ibnetdiscover", "InfiniBand, from the output of ibnetdiscover", "an output of ibnetdiscover",
             is_ibnetdiscover, read_ibnetdiscover},
            {"subnet-lst", "InfiniBand, from subnet.lst of opensm or ibdiagnet", "a subnet.lst of opensm",
             is_subnet_list, read_subnet_list},
            {"topograph", "a cluster model of NVIDIA's topograph", "a topograph model", is_topograph, read_topograph},
            {"hwloc", "the cores of one node, from the XML of hwloc (lstopo --of xml)", "an hwloc topology", is_hwloc,
             read_hwloc},
            {"hwloc-gpus", "the GPUs of one node, from the same XML", "an hwloc topology",
             [](std::string_view) { return false; }, read_hwloc_gpus},
            {"scotch", "a target of Scotch or TopoMatch (.tgt): tleaf, cmplt, meshes, tori, hypercubes",
             "a Scotch target", is_scotch_target, read_scotch_target},
            {"libtopomap", "a topology file of LibTopoMap", "a LibTopoMap topology", is_libtopomap, read_libtopomap},
            {"anynet", "an anynet file of BookSim", "a BookSim anynet file", is_booksim_anynet, read_booksim_anynet}};
        const std::vector<NetworkFileRow> others = other_network_files();
        rows.insert(rows.end(), others.begin(), others.end());
        return rows;
    }());
    return kTable;
}

const NetworkFileRow* recognised_network_file(std::string_view text) {
    const auto row =
        std::ranges::find_if(network_files(), [text](const NetworkFileRow& known) { return known.recognise(text); });
    return row == network_files().end() ? nullptr : &*row;
}

Graph read_network(const NetworkText& text, const std::string& otherwise) {
    const NetworkFileRow* row = recognised_network_file(text.text);
    if (row == nullptr) {
        const std::string_view start = trimmed(text.text);
        throw InputError(SourcePlace{text.file, 1},
                         start.empty() ? "expected a machine, found an empty file"
                                       : "neither a machine file (JSON) nor a network file of a known format: " +
                                             shown(start.substr(0, start.find('\n'))),
                         otherwise);
    }
    if (row->read == nullptr) {
        throw InputError(SourcePlace{text.file, 1}, row->noun + ", which haichi does not read", row->instead);
    }
    return row->read(text);
}

}  // namespace haichi
