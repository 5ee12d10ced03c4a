#include "tests/fuzz/readers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/errors.h"
#include "commlog/ccs/extraction.h"
#include "commlog/log/log_file.h"
#include "commlog/readers/log_readers.h"
#include "commlog/readers/readers.h"
#include "commlog/traces/trace_readers.h"
#include "commlog/workload/workload_json.h"
#include "mapper/job/plugin_tag.h"
#include "mapper/rankmap/hosts.h"
#include "mapper/rankmap/job_script.h"
#include "mapper/rankmap/rankmap.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/machine/fold.h"
#include "netmodel/machine/machine.h"
#include "netmodel/networkfiles/network_file.h"
#include "netmodel/topology/graphml.h"

namespace haichi {
namespace {

void fuzz_coordinate_table(std::string_view text) {
    static const Grid kGrid({{"X", 2, false}, {"Y", 3, true}});
    (void)table_fold(text, "fuzzed", kGrid.vertex_count(), 2, [](const Coordinates& at) {
        const bool inside = at[0] < 2 && at[1] < 3;
        return inside ? NodeId(kGrid.vertex(at).value) : NodeId{};
    });
}

/// "MACHINE ROUTING": a preset, with a routing if the machine is small.
void fuzz_machine_name(std::string_view text) {
    const auto blank = std::min(text.find(' '), text.size());
    if (text.starts_with("graph")) return;  // would open files
    const auto machine = preset_machine(text.substr(0, blank));
    constexpr std::int32_t kMostNodes = 1000;
    if (!machine || machine->size_is_open || terminal_count(*machine) > kMostNodes) return;
    AllocationRequest request;
    if (blank < text.size()) request.routing = std::string(text.substr(blank + 1));
    (void)allocate(*machine, request);
}

void fuzz_node_list(std::string_view text) {
    static const Machine kMachine = *preset_machine("fx10:2x1x2:X");
    (void)parse_node_list(text, "fuzzed", kMachine, [] { return std::vector<std::string>{"n0", "n1", "n2"}; });
}

/// Reads the text in its recognised format, or as the GPUs of an hwloc topology.
template <bool is_gpus>
void fuzz_network_file(std::string_view text) {
    static const std::string kFile = "fuzzed";
    std::vector<std::string> notes;
    const NetworkText from{text, kFile, std::nullopt, notes};
    (void)(is_gpus ? network_files().at("hwloc-gpus").read(from) : read_network(from, "hint"));
}

/// Reads the text as a pattern, then as the content of a file.
void fuzz_host_names(std::string_view text) {
    read_hostile_bytes(
        {"pattern", [](std::string_view list) { (void)HostNames::parse_pattern(std::string(list), 12); }}, text);
    (void)HostNames::parse_list(text, "fuzzed", 3);
}

/// Reads a job file of the profiler and extracts sets from it.
void fuzz_own_log(std::string_view text) {
    const JobLog log = parse_own_log(std::as_bytes(std::span(text)), "fuzzed");
    if (log.rank_count > 4096) return;  // empty ranks would consume the time
    ExtractionOptions options;
    options.levels.collectives = CollectiveScope::kAll;
    options.most_events = 2000;
    (void)extract_sets(log, options);
}

template <auto parse>
void fuzz_log(std::string_view text) {
    (void)is_log(text.substr(0, 65536));
    (void)parse(text, "fuzzed");
}

/// A name usable as a template argument.
template <std::size_t length>
struct FormatName {
    consteval FormatName(const char (&text)[length]) { std::ranges::copy(text, name); }
    char name[length];
};

template <FormatName format>
void fuzz_workload(std::string_view text) {
    (void)parse_workload(text, "fuzzed", format.name);
}

/// A grid that every format supports: 3x2x2 nodes named n0 to n11, with two ranks each.
struct FuzzedJob {
    Allocation allocation = allocate(load_machine("torus:3x2x2"), {.ranks_per_node = 2});
    HostNames hosts = HostNames::parse_pattern("n%d", allocation.node_count());
};

/// A rank map that was read is written and read again, which must give the same placement.
template <FormatName of>
void fuzz_rank_map(std::string_view text) {
    static const FuzzedJob job;
    const std::string format = of.name;
    const RankMapContext context{
        .allocation = &job.allocation, .hosts = &job.hosts, .holds_groups = format == "partition"};
    // A map of positions alone, as in robust maps, is read for every shape, but the scheduler accepts it for no shape.
    const bool is_robust = format == "fujitsu" && text.find(',') == std::string_view::npos;
    const bool has_problems = !is_robust && examine_rank_map(text, "fuzzed", format, context).problems.count() > 0;
    const Mapping read = parse_rank_map(text, "fuzzed", format, context);
    const std::string written = rank_map_format(format).write(read, context);
    const Mapping again = parse_rank_map(written, "written", format, context);
    const bool same = std::ranges::equal(read.node_of_rank(), again.node_of_rank());
    if (has_problems || !same) {
        std::fprintf(stderr, "%s\n", has_problems ? "problems, but it was read" : "another mapping is read back");
        std::abort();
    }
}

constexpr FuzzedReader kReaders[] = {
    // The directory does not exist, so that a graph file named in the text is never a file of this computer.
    {"machine_file", [](std::string_view text) { (void)parse_machine(text, "/nonexistent/fuzzed.json"); }},
    {"machine_name", fuzz_machine_name},
    {"node_list", fuzz_node_list},
    {"coordinate_table", fuzz_coordinate_table},
    {"graphml", [](std::string_view text) { (void)parse_graphml(text, "fuzzed", 1'000'000'000); }},
    {"network_file", fuzz_network_file<false>},
    {"hwloc_gpus", fuzz_network_file<true>},
    {"workload_json", [](std::string_view text) { (void)read_workload_json(text, "fuzzed"); }},
    {"edge_list", fuzz_workload<"edge-list">},
    {"dense_matrix", fuzz_workload<"dense-matrix">},
    {"matrix_market", fuzz_workload<"matrix-market">},
    {"qaplib", fuzz_workload<"qaplib">},
    {"metis", fuzz_workload<"metis">},
    // Any bytes are read in the format that is recognised.
    {"workload_recognition", [](std::string_view text) { (void)parse_workload(text, "fuzzed"); }},
    {"rankmap_fujitsu", fuzz_rank_map<"fujitsu">},
    {"rankmap_tofu6d", fuzz_rank_map<"tofu6d">},
    {"rankmap_nsim", fuzz_rank_map<"nsim">},
    {"rankmap_bgq", fuzz_rank_map<"bgq">},
    {"rankmap_bgl", fuzz_rank_map<"bgl">},
    {"rankmap_cray", fuzz_rank_map<"cray">},
    {"rankmap_openmpi", fuzz_rank_map<"openmpi">},
    {"rankmap_slurm", fuzz_rank_map<"slurm">},
    {"rankmap_hydra", fuzz_rank_map<"hydra">},
    {"rankmap_intel", fuzz_rank_map<"intel">},
    {"rankmap_pals", fuzz_rank_map<"pals">},
    {"rankmap_flux", fuzz_rank_map<"flux">},
    {"rankmap_pmi", fuzz_rank_map<"pmi">},
    {"rankmap_lsf", fuzz_rank_map<"lsf">},
    {"rankmap_partition", fuzz_rank_map<"partition">},
    {"rankmap_simgrid", fuzz_rank_map<"simgrid">},
    {"rankmap_csv", fuzz_rank_map<"csv">},
    {"rankmap_json", fuzz_rank_map<"json">},
    {"rankmap_erf", fuzz_rank_map<"erf">},
    {"host_names", fuzz_host_names},
    {"job_script", [](std::string_view text) { (void)parse_job_script(text, "fuzzed"); }},
    {"plugin_tag", [](std::string_view text) { (void)plugin_tag(std::as_bytes(std::span(text)), "fuzzed"); }},
    {"own_log", fuzz_own_log},
    {"own_part", fuzz_own_part},
    {"simulated_job", fuzz_simulated_job},
    {"log_dumpi", fuzz_log<parse_dumpi>},
    {"log_tit", fuzz_log<parse_tit>},
    {"log_goal", fuzz_log<parse_goal>},
    {"log_monitoring", fuzz_log<parse_monitoring>},
    {"log_mpip", fuzz_log<parse_mpip>},
    {"log_ipm", fuzz_log<parse_ipm>},
    {"log_paraver", fuzz_log<parse_paraver>},
#ifdef HAICHI_HAS_OTF2
    {"log_otf2", fuzz_otf2_archive},
#endif
};

}  // namespace

std::span<const FuzzedReader> fuzzed_readers() { return kReaders; }

const FuzzedReader& fuzzed_reader(std::string_view name) {
    const auto found = std::ranges::find(kReaders, name, &FuzzedReader::name);
    if (found == std::end(kReaders)) throw InternalError("no reader is called " + std::string(name));
    return *found;
}

void require_reader_of_each_format() {
    for (const RankMapFormat& format : rank_map_formats()) {
        (void)fuzzed_reader("rankmap_" + format.name);
    }
    for (const WorkloadFormat& format : workload_formats()) {
        std::string name = format.name == "json" ? "workload_json" : format.name;
        std::ranges::replace(name, '-', '_');
        (void)fuzzed_reader(name);
    }
    for (const LogFormat& format : log_formats()) {
        if (format.read == nullptr) continue;
        const std::string name = format.name.substr(format.name.rfind('-') + 1);
        (void)fuzzed_reader(name == "haichi" ? "own_log" : "log_" + name);
    }
}

void read_hostile_bytes(const FuzzedReader& reader, std::string_view bytes) {
    try {
        reader.read(bytes);
    } catch (const InputError&) {
    } catch (const OptionError&) {
    } catch (const UnsupportedError&) {
    }
}

}  // namespace haichi
