#include "netmodel/networkfiles/other_kinds.h"

#include "base/split.h"

namespace haichi {

namespace {

bool has(std::string_view text, std::string_view part) {
    return text.substr(0, std::size_t{1} << 16).find(part) != std::string_view::npos;
}

std::string_view start_of(std::string_view text) { return trimmed(text.substr(0, 4096)); }

bool is_simgrid(std::string_view text) { return start_of(text).starts_with('<') && has(text, "<platform"); }
bool is_opensm_routes(std::string_view text) {
    return has(text, "Unicast lids") || has(text, "osm_ucast_mgr_dump_ucast_routes") || has(text, "LFT for switch");
}
bool is_htsim(std::string_view text) { return has(text, "Nodes ") && has(text, "Tiers ") && has(text, "Podsize "); }
bool is_slurm_conf(std::string_view text) { return has(text, "NodeName=") && has(text, "SlurmctldHost="); }
bool is_gexf(std::string_view text) { return start_of(text).starts_with('<') && has(text, "<gexf"); }
bool is_dot(std::string_view text) {
    const std::string_view start = start_of(text);
    for (const std::string_view word : {"digraph", "graph", "strict"}) {
        if (start.starts_with(word) && has(text, "{") && (has(text, "--") || has(text, "->"))) return true;
    }
    return false;
}
bool is_gml(std::string_view text) {
    const std::string_view start = start_of(text);
    return (start.starts_with("graph") || start.starts_with("Creator")) && has(text, "node") && has(text, "[") &&
           has(text, "source");
}
bool is_node_link(std::string_view text) {
    return start_of(text).starts_with('{') && has(text, "\"nodes\"") &&
           (has(text, "\"links\"") || has(text, "\"edges\"")) && !has(text, "haichi-");
}
/// The output of "ibnetdiscover -p": a port per line, with its type, LID, number, GUID, width and speed.
bool is_list_of_ports(std::string_view text) {
    const std::string_view start = start_of(text);
    return (start.starts_with("CA ") || start.starts_with("SW ")) && has(text, " 0x") && has(text, "x ");
}
bool is_flux_resources(std::string_view text) { return start_of(text).starts_with('{') && has(text, "\"R_lite\""); }
bool is_flux_graph(std::string_view text) { return is_node_link(text) && has(text, "\"containment\""); }
/// The body of a request to topograph's service. Only the answer contains a topology.
bool is_topograph_request(std::string_view text) {
    return start_of(text).starts_with('{') && has(text, "\"provider\"") && has(text, "\"engine\"") &&
           !has(text, "haichi-");
}
bool is_html(std::string_view text) {
    return start_of(text).starts_with("<!DOCTYPE html") || start_of(text).starts_with("<html");
}
bool is_other_xml(std::string_view text) { return start_of(text).starts_with('<'); }
bool is_ibdiagnet(std::string_view text) { return has(text, "START_NODES") || has(text, "ibdiagnet"); }
bool is_nvidia_smi(std::string_view text) { return has(text, "GPU0") && has(text, "CPU Affinity"); }

constexpr const char* kGraphml = "write the network as GraphML and use graph:FILE; networkx.write_graphml does so";

}  // namespace

bool is_flux_recipe(std::string_view text) { return has(text, "<graphml") && has(text, "attr.name=\"rrelation\""); }

std::vector<NetworkFileRow> other_network_files() {
    return {{"simgrid", "SimGrid's platform XML", "a SimGrid platform", is_simgrid, nullptr, kGraphml},
            {"opensm-routes", "opensm's forwarding tables", "a file of opensm's forwarding tables", is_opensm_routes,
             nullptr, "save the output of ibnetdiscover and use ibnetdiscover:FILE, or use opensm's subnet.lst"},
            {"ibdiagnet", "ibdiagnet's data base", "a file of ibdiagnet", is_ibdiagnet, nullptr,
             "save the output of ibnetdiscover and use ibnetdiscover:FILE"},
            {"htsim", "htsim's topology", "an htsim topology", is_htsim, nullptr,
             "use a fat tree by its sizes, as in fattree:3x8, or a machine file with the kind fat-tree"},
            {"slurm-conf", "slurm.conf", "a slurm.conf", is_slurm_conf, nullptr,
             "use slurm:FILE with topology.conf, or with the output of scontrol show topology"},
            {"nvidia-smi", "the matrix of nvidia-smi topo", "the matrix of nvidia-smi topo -m", is_nvidia_smi, nullptr,
             "save the output of lstopo --of xml --whole-io and use hwloc-gpus:FILE"},
            {"ibnetdiscover-ports", "the ports of ibnetdiscover -p", "a list of ports (ibnetdiscover -p)",
             is_list_of_ports, nullptr, "save the output of ibnetdiscover without -p and use ibnetdiscover:FILE"},
            {"flux-resources", "Flux's resource set R", "a resource set of Flux (R)", is_flux_resources, nullptr,
             "it states nodes, but no network: use its nodelist with §nodes"},
            {"flux-graph", "Flux's resource graph as JSON", "a resource graph of Flux", is_flux_graph, nullptr,
             "it states what nodes contain, but no network: use a file of the fabric, such as ibnetdiscover:FILE"},
            {"flux-recipe", "GraphML from which flux-sched generates resources", "a resource recipe of flux-sched",
             is_flux_recipe, nullptr,
             "it states what nodes contain, but no network: use a file of the fabric, such as ibnetdiscover:FILE"},
            {"topograph-request", "a request to topograph's service", "a request to topograph", is_topograph_request,
             nullptr, "use the topology.conf in its answer, or topograph:FILE with its model"},
            {"node-link", "networkx's node-link JSON", "a graph as networkx's node-link JSON", is_node_link, nullptr,
             "for a machine, write it with networkx.write_graphml and use graph:FILE; for a workload, use "
             "haichi.Workload.from_graph in Python"},
            {"netq", "NetQ's topology graph", "a topology graph of NetQ",
             [](std::string_view text) { return has(text, "\"compounded_links\""); }, nullptr, kGraphml},
            {"gexf", "Gephi's GEXF", "a GEXF file", is_gexf, nullptr, kGraphml},
            {"gml", "GML", "a GML file", is_gml, nullptr, kGraphml},
            {"dot", "Graphviz", "a Graphviz file", is_dot, nullptr, kGraphml},
            {"html", "HTML", "an HTML page", is_html, nullptr, "save the file itself, not the page that shows it"},
            {"xml", "any other XML", "XML of an unknown kind", is_other_xml, nullptr,
             "XML files that describe a machine are GraphML and hwloc's; see 'haichi list machines'"}};
}

}  // namespace haichi
