#include "mapper/job/slurm_allocation.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/command_output.h"
#include "base/errors.h"
#include "base/host_list.h"
#include "base/located_json.h"
#include "base/quantity.h"
#include "base/split.h"
#include "netmodel/topology/ids.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestNetworkBytes = std::size_t{64} << 20;

/// An environment variable that is set and not empty.
struct Variable {
    std::string name;
    std::string value;
};

std::optional<Variable> first_set(const Environment& environment, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const std::optional<std::string> value = environment(name);
        if (value && !value->empty()) return Variable{name, *value};
    }
    return std::nullopt;
}

std::int32_t count_of(std::string_view text, const std::string& name) {
    const auto count = static_cast<std::int32_t>(parse_count(text, INT32_MAX, {name, 0}));
    if (count == 0) throw InputError(SourcePlace{name, 0}, "expected a positive number, found " + shown(text));
    return count;
}

std::optional<std::int32_t> count_variable(const Environment& environment, std::initializer_list<const char*> names) {
    const auto variable = first_set(environment, names);
    if (!variable) return std::nullopt;
    return count_of(variable->value, variable->name);
}

std::vector<std::int32_t> counts_variable(const Environment& environment, const char* name, std::size_t nodes) {
    const auto variable = first_set(environment, {name});
    return variable ? repeated_counts(variable->value, name, nodes) : std::vector<std::int32_t>{};
}

std::int32_t quotient_up(std::int64_t dividend, std::int64_t divisor) {
    return static_cast<std::int32_t>((dividend + divisor - 1) / divisor);
}

/// The rank slots of a job for `wanted` tasks. Each node has one slot per task that Slurm planned for it. If there are
/// fewer slots than `wanted`, nodes get more, as far as their CPUs suffice. `cpus` may be empty.
std::vector<std::int32_t> slots_for(std::int64_t wanted, const SlurmAllocation& job, std::vector<std::int32_t> tasks,
                                    const std::vector<std::int32_t>& cpus) {
    if (std::reduce(tasks.begin(), tasks.end(), std::int64_t{0}) >= wanted) return tasks;
    const std::int32_t each = quotient_up(wanted, std::ssize(tasks));
    for (std::size_t n = 0; n < tasks.size(); ++n) {
        const std::int32_t room = cpus.empty() ? each : std::min(each, cpus[n] / job.cpus_per_task.value_or(1));
        tasks[n] = std::max(tasks[n], room);
    }
    const std::int64_t slots = std::reduce(tasks.begin(), tasks.end(), std::int64_t{0});
    if (slots >= wanted) return tasks;
    throw UnsupportedError(
        "the nodes of the job have CPUs for " + std::to_string(slots) + " tasks, not for " + std::to_string(wanted),
        "request them: sbatch --nodes=" + std::to_string(tasks.size()) + " --ntasks-per-node=" + std::to_string(each));
}

}  // namespace

Environment process_environment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

std::vector<std::int32_t> repeated_counts(std::string_view text, const std::string& name, std::size_t nodes) {
    const SourcePlace place{name, 0};
    std::vector<std::int32_t> counts;
    std::int64_t total = 0;
    for (const std::string_view part : split(text, ',')) {
        const auto open = part.find("(x");
        std::int64_t times = 1;
        if (open != std::string_view::npos) {
            if (part.back() != ')') throw InputError(place, "expected a count such as 4(x3), found " + shown(part));
            times = parse_count(part.substr(open + 2, part.size() - open - 3), kMostVertices, place);
        }
        const std::int32_t count = count_of(part.substr(0, open), name);
        total += times;
        if (total <= static_cast<std::int64_t>(nodes))
            counts.insert(counts.end(), static_cast<std::size_t>(times), count);
    }
    if (total == static_cast<std::int64_t>(nodes)) return counts;
    throw InputError(place, shown(text) + " does not state one count for each of the " + std::to_string(nodes) +
                                (nodes == 1 ? " node" : " nodes"));
}

SlurmAllocation slurm_allocation(const SlurmRequest& request, const Environment& environment) {
    SlurmAllocation job;
    job.ntasks = request.ntasks;
    if (!request.nodelist.empty()) {
        // The variables of the environment do not describe the requested job.
        job.nodes = expand_host_list(request.nodelist, kMostVertices, {"§nodelist", 0});
        const auto nodes = static_cast<std::int64_t>(job.nodes.size());
        job.slots.assign(job.nodes.size(), request.ranks_per_node.value_or(quotient_up(job.ntasks.value_or(1), nodes)));
        return job;
    }
    const auto list = first_set(environment, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"});
    if (!list) {
        throw OptionError("§slurm requires a Slurm job, but SLURM_JOB_NODELIST is not set",
                          "use it in a job script, or state the job with §nodelist 'n[1-8]' §ntasks 64");
    }
    if (const auto size = first_set(environment, {"SLURM_HET_SIZE"}); size && size->value != "1") {
        throw UnsupportedError("§slurm cannot be used in a heterogeneous job (SLURM_HET_SIZE=" + size->value + ")",
                               "state the nodes of one component with §nodelist and its ranks with §ntasks");
    }
    job.nodes = expand_host_list(list->value, kMostVertices, {list->name, 0});
    if (!job.ntasks) job.ntasks = count_variable(environment, {"SLURM_NTASKS", "SLURM_NPROCS"});
    job.cpus_per_task = count_variable(environment, {"SLURM_CPUS_PER_TASK"});
    const std::size_t nodes = job.nodes.size();
    if (request.ranks_per_node) {
        job.slots.assign(nodes, *request.ranks_per_node);
        return job;
    }
    std::vector<std::int32_t> tasks = counts_variable(environment, "SLURM_TASKS_PER_NODE", nodes);
    if (tasks.empty()) {
        const std::int32_t each = count_variable(environment, {"SLURM_NTASKS_PER_NODE"})
                                      .value_or(quotient_up(job.ntasks.value_or(1), static_cast<std::int64_t>(nodes)));
        tasks.assign(nodes, each);
    }
    job.slots = slots_for(job.ntasks.value_or(1), job, std::move(tasks),
                          counts_variable(environment, "SLURM_JOB_CPUS_PER_NODE", nodes));
    return job;
}

MachineSource slurm_network(const SlurmAllocation& job, const Environment& environment) {
    const auto has_switches = [](const std::string& text) {
        return text.find("SwitchName=") != std::string::npos || text.find("BlockName=") != std::string::npos;
    };
    std::string text = command_output({"timeout", "20", "scontrol", "show", "topology"});
    if (has_switches(text)) return {.name = "the Slurm network (scontrol show topology)", .text = std::move(text)};

    std::vector<std::filesystem::path> directories = {"/etc/slurm", "/etc/slurm-llnl", "/run/slurm/conf"};
    if (const auto file = environment("SLURM_CONF")) {
        directories.insert(directories.begin(), std::filesystem::path(*file).parent_path());
    }
    for (const std::filesystem::path& directory : directories) {
        for (const char* name : {"topology.yaml", "topology.conf"}) {
            const std::string path = (directory / name).string();
            std::error_code ignored;
            if (!std::filesystem::is_regular_file(path, ignored)) continue;
            return {.name = path, .text = read_file(path, kLargestNetworkBytes)};
        }
    }

    // The topology plugin gives each node the switches above it, if it knows them.
    if (environment("SLURM_TOPOLOGY_ADDR_PATTERN").value_or("").find("switch") != std::string::npos) {
        const std::string nodes = std::to_string(job.nodes.size());
        text = topology_of_addresses(command_output(
            {"timeout", "60", "srun", "--nodes=" + nodes, "--ntasks=" + nodes, "--ntasks-per-node=1", "sh", "-c",
             R"(echo "$SLURMD_NODENAME $SLURM_TOPOLOGY_ADDR $SLURM_TOPOLOGY_ADDR_PATTERN")"}));
        if (has_switches(text)) return {.name = "the Slurm network (SLURM_TOPOLOGY_ADDR)", .text = std::move(text)};
    }
    throw OptionError(
        "Slurm does not state the network: scontrol show topology names no switches, and "
        "topology.conf and topology.yaml are not in " +
            directories.front().string(),
        "describe the network with §machine, and name its nodes with §hosts (docs: howto/slurm)");
}

std::string topology_of_addresses(std::string_view lines) {
    // The switches, in the order of their first nodes. A node belongs to the last switch of its address.
    std::vector<std::string> switches;
    std::map<std::string, std::string> parts;  // "Nodes=a,b" or "Switches=c,d" of each switch
    std::set<std::pair<std::string, std::string>> known;
    const auto add = [&](const std::string& parent, const std::string& kind, const std::string& part) {
        if (!known.emplace(parent, part).second) return;
        std::string& text = parts[parent];
        if (text.empty()) switches.push_back(parent);
        text += (text.empty() ? kind + "=" : ",") + part;
    };
    for (const std::string_view line : split(lines, '\n')) {
        const std::vector<std::string_view> words = split(trimmed(line), ' ');
        if (words.size() != 3) continue;
        const std::vector<std::string_view> kinds = split(words[2], '.');
        // The last name is the node's, which may contain dots itself.
        std::vector<std::string> path;
        std::string_view rest = words[1];
        for (std::size_t k = 0; k + 1 < kinds.size(); ++k) {
            const auto dot = rest.find('.');
            if (kinds[k] == "switch") path.emplace_back(rest.substr(0, dot));
            if (dot == std::string_view::npos) break;
            rest.remove_prefix(dot + 1);
        }
        for (std::size_t k = 0; k + 1 < path.size(); ++k) {
            // Connects every switch of a level with every switch of the next. Each level of an address has only a few.
            constexpr std::int64_t kMostSwitches = 1024;
            const SourcePlace place{"SLURM_TOPOLOGY_ADDR", 0};
            const std::vector<std::string> children = expand_host_list(path[k + 1], kMostSwitches, place);
            for (const std::string& parent : expand_host_list(path[k], kMostSwitches, place)) {
                for (const std::string& child : children) add(parent, "Switches", child);
            }
        }
        if (!path.empty()) add(path.back(), "Nodes", std::string(words[0]));
    }
    std::string text;
    for (const std::string& name : switches) text += "SwitchName=" + name + " " + parts[name] + "\n";
    return text;
}

}  // namespace haichi
