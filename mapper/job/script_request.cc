#include "mapper/job/script_request.h"

#include <algorithm>

#include "base/errors.h"
#include "base/located_json.h"
#include "netmodel/machine/node_request.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestScript = std::size_t{1} << 24;

std::int64_t nodes_of(const NodeRequest& node) {
    std::int64_t nodes = 1;
    for (const std::int32_t size : node.sizes) nodes = std::min(nodes * size, kMostVertices + 1);
    return nodes;
}

[[noreturn]] void refuse_contradiction(const SourcePlace& place, const std::string& stated, const std::string& option) {
    throw InputError(place, stated + " contradicts " + option, "remove the option, or change the script");
}

/// Converts the request to the machine's axes. Throws InputError at the script's line if the machine cannot hold the
/// request.
AllocationRequest in_axes_of(const Machine& machine, AllocationRequest request, const Located<NodeRequest>& node) {
    request.shape = node.value.sizes;
    try {
        return in_machine_axes(machine, std::move(request), "node=");
    } catch (const OptionError& error) {
        throw InputError(node.place, error.what(), error.hint());
    } catch (const UnsupportedError& error) {
        throw InputError(node.place, error.what(), error.hint());
    }
}

/// The fold for the script's kind of job. An explicitly named fold must suit this kind.
std::string fold_of(const AllocationRequest& request, const Located<NodeRequest>& node, const std::string& kind) {
    const std::string usual = kind == "torus" ? "default" : kind;
    const bool is_named = folds().find(request.fold) != nullptr && request.fold != "default";
    if (!is_named) {
        // A coordinate table suits every kind of job. A list of nodes without a table has no logical coordinates.
        return request.fold == "default" && !is_given(request.nodes) ? usual : request.fold;
    }
    const bool is_of_kind = request.fold == usual || request.fold == "row-major" ||
                            (kind == "torus" && request.fold != "mesh" && request.fold != kScatteredFold);
    if (!is_of_kind) {
        const bool is_stated = !node.value.allocation.empty();
        refuse_contradiction(node.place, to_text(node.value) + (is_stated ? "" : ", by default :" + kind + ","),
                             "§fold " + request.fold);
    }
    return request.fold;
}

void check_shape(const AllocationRequest& request, const AllocationRequest& of_script, const Machine& machine,
                 const Located<NodeRequest>& node) {
    if (request.shape.empty() || request.shape == node.value.sizes) return;
    AllocationRequest same_fold = of_script;
    same_fold.shape = request.shape;
    if (in_machine_axes(machine, same_fold).shape == of_script.shape) return;
    refuse_contradiction(node.place, to_text(node.value), "§shape " + sizes_text(request.shape));
}

/// Takes the ranks per node from max-proc-per-node=, or distributes proc= over the nodes as PJM does.
void take_ranks_per_node(AllocationRequest& request, const JobScript& script) {
    if (script.max_proc_per_node) {
        const Located<std::int64_t>& most = *script.max_proc_per_node;
        if (request.ranks_per_node && *request.ranks_per_node != most.value) {
            refuse_contradiction(most.place, "max-proc-per-node=" + std::to_string(most.value),
                                 "§ppn " + std::to_string(*request.ranks_per_node));
        }
        request.ranks_per_node = static_cast<std::int32_t>(std::min<std::int64_t>(most.value, INT32_MAX));
    } else if (script.proc && !request.ranks_per_node) {
        const std::int64_t nodes = nodes_of(script.node->value);
        request.ranks_per_node = static_cast<std::int32_t>((script.proc->value + nodes - 1) / nodes);
    }
}

/// Sets the order of ranks that the script requests for the default placement.
void take_rank_order(AllocationRequest& request, const JobScript& script) {
    if (!script.rank_rule) return;
    const std::string& rule = script.rank_rule->value;
    const auto end = rule.find_first_of("=:");
    request.rank_order.by_node = rule.substr(0, end) == "rank-map-bynode";
    request.rank_order.axes = end == std::string::npos ? "" : rule.substr(end + 1);
    std::string letters = request.rank_order.axes;
    std::ranges::sort(letters);
    const std::string known = std::string("XYZ").substr(0, script.node->value.sizes.size());
    if (letters.empty() || letters == known) return;
    throw InputError(script.rank_rule->place, "invalid axes in " + shown(rule),
                     "use each of " + known + " once, the fastest axis first");
}

}  // namespace

JobScript read_job_script(const std::string& path) {
    JobScript script = parse_job_script(read_file(path, kLargestScript), path);
    if (!script.problems.empty()) throw script.problems.front();
    return script;
}

bool has_only_tori(const JobScript& script, const Machine& machine) {
    // Fugaku's user guide, "Usage rule": groups for more than 384 nodes have only torus jobs.
    constexpr std::int64_t kMostScattered = 384;
    return machine.name == "fugaku" && nodes_of(script.node->value) > kMostScattered;
}

std::string allocation_kind(const JobScript& script, const Machine& machine) {
    // On Fugaku, other groups default to noncont, except those with only torus jobs, as small-torus.
    const NodeRequest& node = script.node->value;
    if (!node.allocation.empty()) return node.allocation;
    const bool is_of_torus_group = script.resource_group.find("torus") != std::string::npos;
    const bool is_scattered = machine.name == "fugaku" && !has_only_tori(script, machine) && !is_of_torus_group;
    return is_scattered ? std::string(kScatteredFold) : "torus";
}

AllocationRequest with_job_script(AllocationRequest request, const JobScript& script, const Machine& machine) {
    const SourcePlace whole{script.file, 0};
    if (!script.has_directives) {
        throw InputError(whole, "the file has no #PJM line", "give a PJM job script, or leave out §job");
    }
    if (!script.node) {
        throw InputError(whole,
                         script.has_unread_node ? "node= contains a variable" : "the script has no -L \"node=...\"",
                         "leave out §job and give the nodes with §shape, as in §shape 4x6x4 for node=4x6x4");
    }
    if (!has_logical_axes(machine)) {
        throw InputError(script.node->place,
                         "machine " + machine.name +
                             " has no logical axes, so PJM has no node "
                             "shapes for it",
                         "leave out §job");
    }
    const Located<NodeRequest>& node = *script.node;
    if (script.shape && script.shape->value != node.value.sizes) {
        throw InputError(script.shape->place,
                         "shape=" + sizes_text(script.shape->value) + " differs from node=" +
                             sizes_text(node.value.sizes) + ", but haichi places ranks on all nodes of a job",
                         "use shape=" + sizes_text(node.value.sizes) + ", or request fewer nodes");
    }
    const std::string kind = allocation_kind(script, machine);
    if (is_given(request.nodes) && kind != kScatteredFold) {
        refuse_contradiction(node.place, to_text(node.value) + ", a cuboid of the machine,", "§nodes");
    }
    AllocationRequest of_script = request;
    of_script.fold = fold_of(request, node, kind);
    of_script.is_strict = !node.value.strictness.empty();
    take_ranks_per_node(of_script, script);
    take_rank_order(of_script, script);
    if (is_given(request.nodes)) return of_script;
    if (kind == kScatteredFold) {
        if (of_script.fold != kScatteredFold) {
            throw InputError(node.place,
                             to_text(node.value) + " is a job on single nodes, so a coordinate table requires §nodes",
                             "list the job's nodes with §nodes FILE, or leave out §fold");
        }
        if (!request.shape.empty() && request.shape != node.value.sizes) {
            refuse_contradiction(node.place, to_text(node.value), "§shape " + sizes_text(request.shape));
        }
        of_script.shape = node.value.sizes;
        return of_script;
    }
    of_script = in_axes_of(machine, std::move(of_script), node);
    check_shape(request, of_script, machine, node);
    return of_script;
}

void check_against_script(const JobScript& script, const Allocation& allocation, std::int32_t rank_count) {
    const std::int64_t nodes = nodes_of(script.node->value);
    if (nodes != allocation.node_count()) {
        refuse_contradiction(script.node->place, to_text(script.node->value),
                             "§nodes with " + std::to_string(allocation.node_count()) + " nodes");
    }
    const std::string ranks = std::to_string(rank_count) + (rank_count == 1 ? " rank" : " ranks");
    if (rank_count > nodes * allocation.ranks_per_node && !script.max_proc_per_node) {
        const std::int64_t needed = (rank_count + nodes - 1) / nodes;
        throw InputError(script.node->place,
                         to_text(script.node->value) + " without max-proc-per-node= starts at most " +
                             std::to_string(nodes * allocation.ranks_per_node) + " ranks, but the workload has " +
                             ranks,
                         "add max-proc-per-node=" + std::to_string(needed) + " to #PJM --mpi");
    }
    const bool is_started = std::ranges::any_of(
        script.calls, [&](const MpiexecCall& call) { return call.ranks && *call.ranks == rank_count; });
    const auto other =
        std::ranges::find_if(script.calls, [](const MpiexecCall& call) { return call.ranks.has_value(); });
    if (!script.proc && other != script.calls.end() && !is_started) {
        throw InputError(
            other->place,
            "mpiexec -n " + std::to_string(*other->ranks) + " contradicts the workload, which has " + ranks,
            "use the workload of this job, or start " + ranks);
    }
    if (script.proc && script.proc->value != rank_count && !is_started) {
        throw InputError(script.proc->place,
                         "proc=" + std::to_string(script.proc->value) + " contradicts the workload, which has " + ranks,
                         "use the workload of this job, or set proc=" + std::to_string(rank_count));
    }
}

}  // namespace haichi
