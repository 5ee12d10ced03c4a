#include "cli/commands/job_options.h"

#include "base/errors.h"
#include "cli/commands/values.h"
#include "cli/output/log_words.h"
#include "commlog/readers/readers.h"
#include "mapper/job/job.h"
#include "mapper/judge/simulate.h"
#include "netmodel/machine/fold.h"

namespace haichi::cli {

void JobOptions::declare(OptionTable& options, JobUse use) {
    options.add_value("-m,--machine", machine, "MACHINE",
                      "a preset (haichi list machines), graph:FILE, or a machine file");
    if (use != JobUse::kShapes && use != JobUse::kSpread) declare_nodes(options, use);
    if (use != JobUse::kPlaces) {
        options.add_value("-w,--workload", workload, "WORKLOAD",
                          "who sends how much to whom: haichi-workload/1 or a matrix; - is stdin");
        options.add_value("--message-size", message_size, "BYTES",
                          "make every non-empty message this large, as in 1MiB");
        options.add_value("--workload-format", workload_format, "FORMAT",
                          "of the workload (haichi list workload-formats); default: by its content");
    }
    if (use == JobUse::kSpread) declare_node_lists(options);
    if (use == JobUse::kShapes || use == JobUse::kSpread) {
        options.add_value("--ppn", ranks_per_node, "N", "most ranks on a node; default: 1");
        options.add_value("--routing", routing, "ROUTING",
                          "static routing, as in dor:XYZACB,tie=+ (haichi list routings); default: the machine's");
    }
}

void JobOptions::declare_nodes(OptionTable& options, JobUse use) {
    options.add_value("--shape", shape, "AxBx...", "the job's cuboid, one size per axis; default: the whole machine");
    options.add_value("--origin", origin, "AxBx...", "corner of the cuboid on the machine; default: zeros");
    declare_node_lists(options);
    options.add_value("--ppn", ranks_per_node, "N", "most ranks on a node; default: 1");
    if (use != JobUse::kPlaces) {
        options.add_value("--routing", routing, "ROUTING",
                          "static routing, as in dor:XYZACB,tie=+ (haichi list routings); default: the machine's");
    }
    options.add_value("--fold", fold, "FOLD",
                      "logical coordinates and rank order: " + folds().listing() + ", or a coordinate table's file");
    options.add_value("--hosts", hosts, "FILE|PATTERN",
                      "names of the nodes, for maps with host names: a file, node[000-095] or node%04d");
    if (use == JobUse::kMeasure) {
        options.add_flag("--count-nic", count_nic, "injection and ejection of a node count as links");
    }
}

void JobOptions::declare_node_lists(OptionTable& options) {
    options.add_value("--nodes", nodes, "FILE",
                      "the job's nodes instead of a cuboid: one per line, number or coordinates");
    options.add_value("--faulty", faulty, "FILE",
                      "nodes that are down, one per line as in --nodes: they take no rank, and no route passes them");
}

JobSpec JobOptions::spec(JobUse use, std::initializer_list<std::string> others) const {
    require_value(machine, "--machine");
    JobSpec spec;
    spec.machine = machine;
    spec.allocation = allocation();
    spec.hosts = hosts;
    if (use != JobUse::kPlaces) spec.traffic = traffic();
    check_standard_input(others);
    return spec;
}

JobSpec JobOptions::program_spec(std::int32_t ranks, std::initializer_list<std::string> others,
                                 const Reading& reading) const {
    if (!workload.empty()) {
        throw OptionError("a workload and a program are given, but one thing is simulated",
                          "-w FILE simulates a workload, -- PROGRAM runs a program");
    }
    if (!message_size.empty()) throw OptionError("--message-size is that of a workload, but a program is given");
    if (!workload_format.empty()) throw OptionError("--workload-format is that of a workload, but a program is given");
    JobSpec spec = JobOptions::spec(JobUse::kPlaces, others);
    for (const std::string* file : {&machine, &nodes, &faulty, &fold, &hosts}) {
        if (*file == "-") throw OptionError("standard input is that of the program, for rank 0", "name a file");
    }
    for (const std::string& file : others) {
        if (file == "-") throw OptionError("standard input is that of the program, for rank 0", "name a file");
    }
    if (ranks == 0) {
        const AllocatedNodes allocated = load_nodes(spec, reading);
        ranks = allocated.allocation->network.usable_node_count() * allocated.allocation->ranks_per_node;
    }
    spec.traffic.source = ProgramTraffic{ranks};
    return spec;
}

Traffic JobOptions::traffic() const {
    require_value(workload, "--workload");
    if (!workload_format.empty()) (void)haichi::workload_format(workload_format);  // a wrong name needs no file
    Traffic traffic{.source = WorkloadFile{workload, workload_format}};
    if (!message_size.empty()) traffic.message_size_bytes = read_bytes("--message-size", message_size);
    return traffic;
}

AllocationRequest JobOptions::allocation() const {
    AllocationRequest request;
    if (!shape.empty()) request.shape = parse_sizes(shape, "--shape");
    if (!origin.empty()) request.origin = parse_sizes(origin, "--origin");
    request.nodes = nodes;
    request.faulty = faulty;
    constexpr std::int64_t kMostRanksPerNode = 1 << 20;
    if (!ranks_per_node.empty()) {
        request.ranks_per_node = static_cast<std::int32_t>(read_count("--ppn", ranks_per_node, 1, kMostRanksPerNode));
    }
    request.routing = routing;
    if (!fold.empty()) request.fold = fold;
    request.count_nic = count_nic;
    return request;
}

void JobOptions::add_inputs(Outputs& outputs) const {
    constexpr std::string_view kGraph = "graph:";
    outputs.add_input(machine.starts_with(kGraph) ? machine.substr(kGraph.size()) : machine);
    for (const std::string* file : {&workload, &nodes, &faulty, &fold, &hosts}) outputs.add_input(*file);
}

void JobOptions::check_standard_input(std::initializer_list<std::string> others) const {
    int readers = 0;
    for (const std::string* file : {&machine, &workload, &nodes, &faulty, &fold, &hosts})
        readers += *file == "-" ? 1 : 0;
    for (const std::string& file : others) readers += file == "-" ? 1 : 0;
    if (readers > 1) throw OptionError("standard input can be only one of the files", "- is given twice");
}

void add_traffic_form(OptionTable& options, std::string& form) {
    options.add_value(
        "--as", form, "sets|calls",
        "what of a log is simulated: its calls, one by one as they were made, or the communication sets of its "
        "kernel; calls if it is not said");
}

TrafficForm read_traffic_form(const std::string& form, const JobOptions& job, JobSpec& spec) {
    TrafficForm chosen = form.empty() ? TrafficForm::kAuto : parse_traffic_form(form);
    if (!job.message_size.empty()) {
        if (chosen == TrafficForm::kCalls) {
            throw OptionError("--message-size is about communication sets, not about the calls of a log");
        }
        chosen = TrafficForm::kSets;
    }
    spec.traffic.keeps_calls = chosen != TrafficForm::kSets;
    return chosen;
}

void check_map_format(const std::string& map, const std::string& format) {
    if (format.empty()) return;
    if (map.empty()) throw OptionError("--format is that of the map, but there is no --map");
    (void)rank_map_format(format);
}

Placement map_or_default(const Job& job, const std::string& map, const std::string& format) {
    return map.empty() ? Placement(job) : given_placement(job, map, format);
}

void say_about_simulated(const Machine& machine, Console& console) {
    const std::string warning = buffer_warning(machine);
    if (!warning.empty()) console.say("warning: " + without_controls(warning) + "\n");
}

void say_about_sets(const std::vector<std::string>& warnings, Console& console) {
    for (const std::string& warning : warnings) {
        console.say("warning: " + without_controls(warning) + "\n");
    }
}

void say_about_map(const RankMapFormat& format, const Mapping& mapping, const RankMapContext& context,
                   const std::string& file, Console& console) {
    if (format.warning != nullptr) {
        const std::string warning = format.warning(mapping, context);
        if (!warning.empty()) console.say("warning: " + warning + "\n");
    }
    if (format.name != "fujitsu") return;
    const std::string lines = pjm_options(mapping, context, file.empty() || file == "-" ? "FILE" : file);
    if (!lines.empty()) console.say("for the job script:\n" + lines);
}

}  // namespace haichi::cli
