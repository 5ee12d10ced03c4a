#include "options/job_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/errors.h"
#include "commlog/readers/readers.h"
#include "netmodel/machine/fold.h"
#include "netmodel/networkfiles/network_file.h"

namespace haichi {

namespace {

template <class Variant>
void add_path(std::vector<std::string>& files, const Variant& named) {
    if (const auto* path = std::get_if<std::string>(&named); path != nullptr && !path->empty()) files.push_back(*path);
}

/// Parses a fraction such as "3%" or "0.03".
double parse_fraction(const std::string& word) {
    constexpr double kLargestFraction = 100;
    const bool is_percent = word.ends_with('%');
    const std::string digits = is_percent ? word.substr(0, word.size() - 1) : word;
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || !(number >= 0) ||
        number > kLargestFraction * (is_percent ? 100 : 1)) {
        throw OptionError("invalid §imbalance: " + shown(word),
                          "state a fraction of the mean weight, as in 3% or 0.03");
    }
    return is_percent ? number / 100 : number;
}

}  // namespace

void JobOptions::declare(OptionTable& options, JobUse use) {
    options.begin(OptionGroup::kJob);
    options.add_file_or_word(
        "machine", spec.machine.emplace<std::string>(),
        {.description = "Machine: a preset (haichi list machines), a machine file, or a network file",
         .value = "MACHINE",
         .letter = 'm',
         .is_required = true,
         .required_unless = {"slurm", "nodelist"}});
    declare_nodes(options, use);
    if (use == JobUse::kMeasure || use == JobUse::kSimulate || use == JobUse::kPlaces) declare_slurm(options);
    if (use == JobUse::kPlaces || use == JobUse::kProgram) return;
    options.begin(OptionGroup::kWorkload);
    options.add_file("workload", workload.path,
                     {.description = "Workload file: haichi-workload/1, a matrix, or a log (- for standard input)",
                      .value = "WORKLOAD",
                      .letter = 'w',
                      .is_required = true});
    options.add_bytes("message-size", spec.traffic.message_size_bytes,
                      {.description = "Set the size of every non-empty message to BYTES, as in 1MiB", .least = 0});
    options.add_read("workload-format", ValueKind::kText,
                     [this](const std::string& word) {
                         workload.format = workload_format(word).name;
                     },  // reports an unknown name before any file is read
                     {.description = "Format of the workload (haichi list workload-formats)",
                      .value = "FORMAT",
                      .otherwise = "recognised by the content"});
}

constexpr const char* kSlotsOfNodes = "the rank slots that --nodes states, or 1";

void JobOptions::declare_nodes(OptionTable& options, JobUse use) {
    AllocationRequest& nodes = spec.allocation;
    options.begin(OptionGroup::kJob);
    if (use == JobUse::kShapes || use == JobUse::kSpread) {
        if (use == JobUse::kSpread) declare_node_lists(options);
        declare_ppn(options, use == JobUse::kSpread ? kSlotsOfNodes : "1");
        declare_routing(options);
        return;
    }
    options.add_sizes(
        "shape", nodes.shape,
        {.description = "Shape of the job: one size per axis of the machine, or the node shape of PJM as in 4x6x4",
         .otherwise = "the whole machine"});
    options.add_sizes(
        "origin", nodes.origin,
        {.description = "Lowest coordinates of the shape on the machine", .otherwise = "zeros", .needs = {"shape"}});
    declare_node_lists(options);
    options.add_file("job", spec.job_script,
                     {.description = "PJM job script from which haichi reads the nodes, the ranks per node and the "
                                     "allocation (torus, mesh or noncont)"});
    declare_ppn(options, kSlotsOfNodes);
    if (use == JobUse::kMeasure) declare_imbalance(options);
    if (use != JobUse::kPlaces) declare_routing(options);
    options.add_file_or_word("fold", nodes.fold,
                             {.description = "Assignment of nodes to logical coordinates (haichi list folds): " +
                                             folds().listing() + ", or a file with a coordinate table",
                              .value = "FOLD"});
    options.add_file_or_word(
        "hosts", spec.hosts.emplace<std::string>(),
        {.description = "Host names of the nodes: a file, a list such as n[1-8,11], or node%04d. If --nodes "
                        "contains names, it must list all nodes of the machine",
         .value = "FILE|LIST"});
    if (use == JobUse::kMeasure) {
        options.add_flag("count-nic", nodes.count_nic,
                         {.description = "Count the injection and ejection channels of nodes as links"});
    }
}

void JobOptions::declare_node_lists(OptionTable& options) {
    options.add_file("nodes", spec.allocation.nodes.emplace<std::string>(),
                     {.description = "Nodes of the job instead of a shape: a list such as n[1-8,11], or a file "
                                     "with numbers, coordinates, or names and rank slots",
                      .value = "FILE|LIST",
                      .excludes = {"shape", "origin"}});
    options.add_file(
        "faulty", spec.allocation.faulty.emplace<std::string>(),
        {.description = "Nodes that are down, which ranks and routes avoid: a file or a list", .value = "FILE|LIST"});
}

void JobOptions::declare_slurm(OptionTable& options) {
    const std::vector<std::string> others = {"nodes", "shape", "origin", "shapes"};
    options.add_flag("slurm", slurm,
                     {.description = "Take the nodes and tasks per node from the Slurm job in which haichi runs, and "
                                     "the network from Slurm unless --machine states it",
                      .excludes = others,
                      .is_local = true});
    options.add_read("nodelist", ValueKind::kText,
                     [this](const std::string& list) {
                         slurm = true;
                         slurm_request.nodelist = list;
                     },
                     {.description = "Nodes of a Slurm job, as in n[1-8,11], for use outside of the job",
                      .value = "LIST",
                      .excludes = others,
                      .is_local = true});
    options.add_count("ntasks", slurm_request.ntasks,
                      {.description = "Number of tasks of the job",
                       .otherwise = "the number of tasks of the Slurm job",
                       .needs = {"slurm", "nodelist"},
                       .is_local = true});
}

void JobOptions::add_slurm(JobSpec& job) const {
    const Environment environment = process_environment();
    SlurmRequest request = slurm_request;
    request.ranks_per_node = spec.allocation.ranks_per_node;
    SlurmAllocation allocation = slurm_allocation(request, environment);
    const auto* machine = std::get_if<std::string>(&spec.machine);
    if (machine != nullptr && machine->empty()) job.machine = slurm_network(allocation, environment);
    const std::vector<std::int32_t>& slots = allocation.slots;
    if (std::ranges::all_of(slots, [&](std::int32_t count) { return count == slots.front(); })) {
        job.allocation.ranks_per_node = slots.front();
    } else {
        for (std::size_t n = 0; n < slots.size(); ++n) allocation.nodes[n] += fmt::format(":{}", slots[n]);
    }
    if (job.cores_per_rank == 0) job.cores_per_rank = allocation.cpus_per_task.value_or(0);
    job.tasks = allocation.ntasks;
    job.allocation.nodes = std::move(allocation.nodes);
}

void JobOptions::declare_routing(OptionTable& options) {
    options.add_text("routing", spec.allocation.routing,
                     {.description = "Static routing, as in dor:XYZACB,tie=+ (haichi list routings)",
                      .value = "ROUTING",
                      .otherwise = "the machine's routing"});
}

void JobOptions::declare_ppn(OptionTable& options, const char* otherwise) {
    options.add_count("ppn", spec.allocation.ranks_per_node,
                      {.description = "Maximum number of ranks per node", .otherwise = otherwise, .most = 1 << 20});
}

void JobOptions::declare_imbalance(OptionTable& options) {
    options.add_read("imbalance", ValueKind::kText,
                     [this](const std::string& word) { spec.imbalance = parse_fraction(word); },
                     {.description = "Allow different numbers of ranks per node. The total weight of the ranks on a "
                                     "node may exceed the mean by this fraction, as in 3% or 0.03",
                      .value = "FRACTION",
                      .excludes = {"ppn", "shapes", "robust"}});
}

JobSpec JobOptions::job(std::initializer_list<std::string> others) const {
    JobSpec job = spec;
    if (!workload.path.empty()) job.traffic.source = workload;
    int readers = 0;
    for (const std::string& file : files()) readers += file == "-" ? 1 : 0;
    for (const std::string& file : others) readers += file == "-" ? 1 : 0;
    if (readers > 1)
        throw OptionError("only one file can be standard input", "give - for one file and names for the others");
    if (slurm) add_slurm(job);
    return job;
}

void JobOptions::add_inputs(Outputs& outputs) const {
    for (const std::string& file : files()) {
        // In "graph:FILE" and "slurm:FILE", the file name follows the colon.
        const auto colon = file.find(':');
        const bool has_format = colon != std::string::npos &&
                                (file.starts_with("graph:") || network_files().find(file.substr(0, colon)) != nullptr);
        outputs.add_input(has_format ? file.substr(colon + 1) : file);
    }
}

void JobOptions::refuse_standard_input(std::initializer_list<std::string> others) const {
    std::vector<std::string> all = files();
    all.insert(all.end(), others);
    for (const std::string& file : all) {
        if (file == "-")
            throw OptionError("- cannot be used: rank 0 of the program reads standard input",
                              "give the name of a file");
    }
}

std::vector<std::string> JobOptions::files() const {
    std::vector<std::string> files;
    for (const std::string& file : {workload.path, spec.allocation.fold, spec.job_script}) {
        if (!file.empty()) files.push_back(file);
    }
    add_path(files, spec.machine);
    add_path(files, spec.allocation.nodes);
    add_path(files, spec.allocation.faulty);
    add_path(files, spec.hosts);
    return files;
}

void declare_form(OptionTable& options, TrafficForm& form, std::vector<std::string> needs) {
    options.add_choice(
        "form", form, traffic_forms(), &TrafficFormRow::form,
        {.description = "Part of a log to simulate: its recorded calls (calls), or the communication sets of the "
                        "main loop (sets). A set contains messages that are in flight together",
         .needs = std::move(needs),
         .former_names = {"as"}});
}

TrafficForm with_form(TrafficForm form, JobSpec& spec) {
    if (spec.traffic.message_size_bytes) {
        if (form == TrafficForm::kCalls) {
            throw OptionError("§message-size cannot be combined with §form calls");
        }
        form = TrafficForm::kSets;
    }
    spec.traffic.keeps_calls = form != TrafficForm::kSets;
    return form;
}

void declare_threads(OptionTable& options, std::int32_t& threads, const std::string& otherwise) {
    options.add_count(
        "threads", threads,
        {.description = "Number of threads, which does not change the result", .otherwise = otherwise, .most = 4096});
}

void declare_seed(OptionTable& options, std::uint64_t& seed) {
    options.add_count("seed", seed, {.description = "Random seed", .least = 0});
}

}  // namespace haichi
