#include "mapper/job/check_map.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/located_json.h"
#include "mapper/job/job.h"
#include "mapper/job/script_request.h"
#include "netmodel/machine/node_request.h"
#include "netmodel/topology/sizes.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestMapBytes = std::size_t{512} << 20;
constexpr std::size_t kLargestScriptBytes = std::size_t{1} << 24;

using Sizes = std::vector<std::int32_t>;

std::int64_t product(const Sizes& sizes) {
    std::int64_t nodes = 1;
    for (const std::int32_t size : sizes) nodes = std::min(nodes * size, kMostVertices + 1);
    return nodes;
}

std::string counted(std::int64_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class Checker {
  public:
    void ok(const std::string& text, const SourcePlace& place = {}) { add(CheckResult::kOk, text, place, ""); }
    void note(const std::string& text, const SourcePlace& place = {}, const std::string& hint = "") {
        add(CheckResult::kNote, text, place, hint);
    }
    void problem(const std::string& text, const SourcePlace& place = {}, const std::string& hint = "") {
        ++check_.problem_count;
        add(CheckResult::kProblem, text, place, hint);
    }
    void problem(const InputError& error) {
        ++check_.problem_count;
        check_.lines.push_back({CheckResult::kProblem, error.what(), error.place(), error.hint()});
    }
    MapCheck& result() { return check_; }

  private:
    void add(CheckResult result, const std::string& text, const SourcePlace& place, const std::string& hint) {
        check_.lines.push_back({result, place.file.empty() ? text : to_string(place) + ": " + text, place, hint});
    }

    MapCheck check_;
};

/// Whether PJM may give a 3D request another shape on the machine.
bool has_other_shapes(const Machine& machine, const Sizes& request) {
    return std::ranges::any_of(rotated_requests(machine, request), [&request](const RotatedRequest& rotated) {
        for (std::size_t k = 0; k < request.size(); ++k) {
            if (request[rotated.axes[k]] != request[k]) return true;
        }
        return false;
    });
}

/// Notes a request for which the positions of the nodes on the machine are unknown. PJM accepts it, but haichi makes no
/// map for it.
void check_layout(Checker& check, const Machine& machine, const Located<NodeRequest>& node, const std::string& kind) {
    AllocationRequest request;
    request.shape = node.value.sizes;
    if (kind == "mesh") request.fold = kind;
    const auto note = [&](const Error& error) {
        check.note("haichi makes no map for " + to_text(node.value) + ": " + error.what(), node.place, error.hint());
    };
    try {
        (void)in_machine_axes(machine, request, "node=");
    } catch (const OptionError& error) {
        note(error);
    } catch (const UnsupportedError& error) {
        note(error);
    }
}

/// Notes what the kind of a job means for its map. `is_map_of_kind`: the map is known to be for this kind.
void check_kind(Checker& check, const JobScript& script, const Machine& machine, const std::string& kind,
                bool is_map_of_kind) {
    const Located<NodeRequest>& node = *script.node;
    const std::string what = to_text(node.value);
    if (kind != "torus" && has_only_tori(script, machine)) {
        check.note(what + ": Fugaku's resource groups for more than 384 nodes have only torus jobs", node.place,
                   "request :torus, or at most 384 nodes");
    }
    if (kind == kScatteredFold) {
        const bool is_stated = !node.value.allocation.empty();
        return check.note(what + (is_stated ? "" : " is :noncont by default") +
                              ": logical coordinates do not determine the location of a node on the machine",
                          node.place,
                          is_map_of_kind ? "" : "request :torus, or make the map with §job or §fold noncont");
    }
    if (!node.value.strictness.empty() || !has_other_shapes(machine, node.value.sizes)) return;
    check.note("PJM may rotate " + what + ", and the program can then be slower with this map", node.place,
               "request " + what + ":strict, for which the job may wait longer");
}

void check_node_against_job(Checker& check, const JobScript& script, const Machine& machine, const Allocation& job) {
    const Located<NodeRequest>& node = *script.node;
    const Fold& fold = job.fold;
    if (node.value.sizes != fold.logical_sizes) {
        return check.problem(
            to_text(node.value) + ", but the logical shape of the job is " + sizes_text(fold.logical_sizes), node.place,
            "request the logical shape, because the map's coordinates refer to it");
    }
    check.ok(to_text(node.value) + " is the logical shape of the job", node.place);
    if (fold.is_coordinate_table || fold.name == "row-major") return;
    const std::string kind = allocation_kind(script, machine);
    if (kind == kScatteredFold || !job.is_scattered) check_kind(check, script, machine, kind, job.is_scattered);
    if (kind == kScatteredFold) return;
    const bool is_mesh = fold.name == "mesh";
    if (job.is_scattered || is_mesh != (kind == "mesh")) {
        const std::string of_map = job.is_scattered ? "noncont" : is_mesh ? "mesh" : "torus";
        check.note("the map is for the fold " + fold.name + " of a " + of_map + " job", node.place,
                   "request :" + of_map);
    }
}

/// Checks node= if neither --shape nor --nodes is given: compares it with the machine's number of nodes and sizes.
void check_node_against_machine(Checker& check, const JobScript& script, const Machine& machine,
                                bool spec_is_scattered) {
    const Located<NodeRequest>& node = *script.node;
    const std::string what = to_text(node.value);
    const auto* grid = coordinates(machine);
    if (grid == nullptr) {
        return check.problem(
            what + ", but machine " + machine.name + " has no coordinates, so PJM has no shapes for it", node.place);
    }
    if (machine.size_is_open) {
        return check.note(what + " was not compared with machine " + machine.name + ", whose size is unknown",
                          node.place, "give §shape, or a preset with a size");
    }
    if (product(node.value.sizes) > grid->vertex_count()) {
        return check.problem(
            what + " has more nodes than machine " + machine.name + " (" + std::to_string(grid->vertex_count()) + ")",
            node.place);
    }
    Sizes longest;
    for (const auto& pair : machine.logical) {
        std::int32_t size = 1;
        for (const std::size_t k : pair) size *= grid->axis(k).size;
        longest.push_back(size);
    }
    Sizes asked = node.value.sizes;
    std::ranges::sort(longest);
    std::ranges::sort(asked);  // PJM may rotate a request
    if (asked.size() == longest.size() && !std::ranges::equal(asked, longest, std::less_equal{})) {
        return check.problem(what + " does not fit machine " + machine.name + " in any orientation", node.place);
    }
    check.ok(what + " fits machine " + machine.name, node.place);
    const std::string kind = allocation_kind(script, machine);
    check_kind(check, script, machine, kind, spec_is_scattered);
    if (kind != kScatteredFold && has_logical_axes(machine)) check_layout(check, machine, node, kind);
}

/// Checks shape=. Returns the shape that contains the map's coordinates.
Sizes process_shape(Checker& check, const JobScript& script) {
    const Sizes& nodes = script.node->value.sizes;
    if (!script.shape) return nodes;
    const Sizes& shape = script.shape->value;
    const std::string what = "shape=" + sizes_text(shape);
    if (shape.size() != nodes.size()) {
        check.problem(what + " has a different number of dimensions than node=" + sizes_text(nodes),
                      script.shape->place);
        return nodes;
    }
    if (!std::ranges::equal(shape, nodes, std::less_equal{})) {
        check.problem(what + " does not fit into node=" + sizes_text(nodes), script.shape->place);
        return nodes;
    }
    check.ok(what + " fits into node=" + sizes_text(nodes), script.shape->place);
    return shape;
}

/// Ranks that PJM allows per node. Without max-proc-per-node, it distributes proc over the nodes of the shape, and
/// without both it starts one rank per node.
std::int64_t processes_per_node(const JobScript& script, std::int64_t nodes) {
    if (script.max_proc_per_node) return script.max_proc_per_node->value;
    return script.proc ? (script.proc->value + nodes - 1) / nodes : 1;
}

/// The number of ranks that mpiexec starts if the script does not state proc=. Empty if no call states it, or if calls
/// state different numbers.
std::optional<std::int64_t> ranks_of_calls(const JobScript& script) {
    std::optional<std::int64_t> ranks;
    for (const MpiexecCall& call : script.calls) {
        if (!call.ranks) continue;
        if (ranks && *ranks != *call.ranks) return std::nullopt;
        ranks = call.ranks;
    }
    return ranks;
}

/// `asked` is the number of ranks per node from --ppn, if given.
void check_processes(Checker& check, const JobScript& script, std::int64_t nodes, std::int64_t per_node,
                     std::optional<std::int32_t> asked) {
    const auto check_fit = [&](const std::string& what, std::int64_t ranks, const SourcePlace& place) {
        const std::string room =
            " on " + counted(nodes, "node") + " with at most " + counted(per_node, "rank") + " each";
        if (ranks <= nodes * per_node) return check.ok(what + " fits" + room, place);
        const std::int64_t needed = (ranks + nodes - 1) / nodes;
        check.problem(what + " does not fit" + room, place,
                      "set max-proc-per-node=" + std::to_string(needed) + " in #PJM --mpi");
    };
    const auto stated = std::ranges::find_if(script.calls, [](const MpiexecCall& c) { return c.ranks.has_value(); });
    if (script.proc) {
        check_fit("proc=" + std::to_string(script.proc->value), script.proc->value, script.proc->place);
    } else if (ranks_of_calls(script)) {
        // If max-proc-per-node= is missing and there are more ranks than nodes, the check of the map reports the
        // problem.
        if (*stated->ranks <= nodes || script.max_proc_per_node)
            check_fit("mpiexec -n " + std::to_string(*stated->ranks), *stated->ranks, stated->place);
    } else {
        if (script.has_unread_proc || script.has_unread_directive) {
            check.note("cannot read proc=, so the number of ranks was not checked", SourcePlace{script.file, 0});
        } else {
            check.note("proc= is missing, so the number of ranks is unknown", SourcePlace{script.file, 0},
                       "add proc=, because it determines the number of lines of the map");
        }
    }
    if (asked && per_node != *asked) {
        check.note(
            "the script allows " + counted(per_node, "rank") + " per node, but §ppn is " + std::to_string(*asked),
            script.max_proc_per_node ? script.max_proc_per_node->place : SourcePlace{script.file, 0});
    }
    for (const MpiexecCall& call : script.calls) {
        if (!call.ranks || !script.proc || *call.ranks <= script.proc->value) continue;
        check.problem(
            "mpiexec -n " + std::to_string(*call.ranks) + " exceeds proc=" + std::to_string(script.proc->value),
            call.place);
    }
}

/// Whether the file that the script names is the map. Empty if that is unknown.
std::optional<bool> is_same_file(const std::string& named, const std::string& map, const std::string& script) {
    namespace fs = std::filesystem;
    if (map == "-" || named.find_first_of("$`%") != std::string::npos) return std::nullopt;
    if (fs::path(named).filename() == fs::path(map).filename()) return true;
    std::error_code none;
    return fs::equivalent(named, map, none) || fs::equivalent(fs::path(script).parent_path() / named, map, none);
}

/// Checks that the script uses this map. A script with several programs may have a map for each; one of these must be
/// this map.
void check_use(Checker& check, const JobScript& script, const std::string& map) {
    struct Use {
        std::string option;
        std::string file;
        SourcePlace place;
        std::optional<bool> is_map{};
    };
    std::vector<Use> uses;
    if (script.host_file) {
        uses.push_back({"rank-map-hostfile=", script.host_file->value, script.host_file->place});
    }
    for (const MpiexecCall& call : script.calls) {
        if (call.coordinate_file) uses.push_back({"mpiexec --vcoordfile ", *call.coordinate_file, call.place});
    }
    for (Use& use : uses) use.is_map = is_same_file(use.file, map, script.file);
    const bool is_used = std::ranges::any_of(uses, [](const Use& use) { return use.is_map == true; });
    for (const Use& use : uses) {
        if (!use.is_map) {
            check.note(use.option + shown(use.file) + " was not compared with the map's name", use.place);
        } else if (*use.is_map) {
            check.ok(use.option + shown(use.file) + " names the map", use.place);
        } else if (is_used) {
            check.note(use.option + shown(use.file) + " names another map", use.place);
        } else {
            check.problem(use.option + shown(use.file) + " does not name the map " + shown(map), use.place);
        }
    }
    if (uses.empty() && script.has_unread_directive) {
        check.note("haichi did not check whether the job uses the map, because it cannot read a #PJM line",
                   SourcePlace{script.file, 0});
    } else if (uses.empty()) {
        check.problem("the job does not use the map: it has neither rank-map-hostfile= nor mpiexec --vcoordfile",
                      SourcePlace{script.file, 0}, "add #PJM --mpi \"rank-map-hostfile=" + map + "\"");
    }
    if (script.rank_rule && script.host_file) {
        check.note(
            shown(script.rank_rule->value) + " together with rank-map-hostfile may change the meaning of the lines",
            script.rank_rule->place, "remove it, because the map places every rank");
    }
}

/// Number of ranks that the script starts from the map, or 0 if it states none.
std::int64_t ranks_of(const JobScript& script) {
    for (const MpiexecCall& call : script.calls) {
        if (call.coordinate_file && call.ranks) return *call.ranks;
    }
    return script.proc ? script.proc->value : ranks_of_calls(script).value_or(0);
}

/// A script that lacks max-proc-per-node=, and the number of ranks per node that PJM therefore allows.
struct UnstatedLimit {
    const JobScript* script = nullptr;
    std::int64_t ranks_per_node = 0;
};
/// Checks the text of the map. With `unstated`, a single problem reports all nodes with too many ranks. `context` must
/// then allow any number of ranks per node.
void check_text(Checker& check, std::string_view text, const CheckedMap& checked, const RankMapContext& context,
                const std::optional<UnstatedLimit>& unstated = std::nullopt) {
    const MapFindings found = examine_rank_map(text, checked.map, checked.format, context);
    MapCheck& result = check.result();
    result.format = found.format;
    result.rank_count = found.rank_count;
    const auto fails = [&](MapRule rule) {
        return std::ranges::any_of(found.problems.kept(), [rule](const auto& problem) { return problem.rule == rule; });
    };
    const Allocation& job = *context.allocation;
    if (!fails(MapRule::kRecords)) {
        check.ok(found.format == "fujitsu"
                     ? "every line holds coordinates inside the logical shape " + sizes_text(job.fold.logical_sizes)
                     : "every record names a node of the job");
    }
    if (!fails(MapRule::kRecords) && !fails(MapRule::kRankCount)) {
        check.ok(counted(found.rank_count, "rank") + (context.rank_count > 0 ? ", as in the script" : ""));
    }
    const std::int64_t most = found.most_ranks_on_a_node;
    const std::int64_t room = unstated ? unstated->ranks_per_node : job.ranks_per_node;
    if (unstated && most > room) {
        check.problem("the map places up to " + std::to_string(most) +
                          " ranks on a node, but without max-proc-per-node= PJM starts at most " + std::to_string(room),
                      SourcePlace{unstated->script->file, 0},
                      "add max-proc-per-node=" + std::to_string(most) + " to #PJM --mpi");
    } else if (!fails(MapRule::kCapacity) && most > 0) {
        check.ok("at most " + counted(most, "rank") + " on a node with " + counted(room, "rank slot"));
    }
    for (const auto& problem : found.problems.kept()) check.problem(problem.error);
    const std::int64_t more = found.problems.count() - std::ssize(found.problems.kept());
    if (more > 0) {
        check.problem("and " + counted(more, "more problem") + " in " + checked.map);
        result.problem_count += more - 1;
    }
}

/// A job with these logical coordinates, whatever nodes of the machine they belong to.
Allocation logical_job(const Sizes& sizes, std::int64_t ranks_per_node) {
    AllocationRequest request;
    request.ranks_per_node = static_cast<std::int32_t>(std::min(ranks_per_node, INT32_MAX / product(sizes)));
    return allocate(load_machine("mesh:" + sizes_text(sizes)), request);
}

bool looks_like_fujitsu(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '(';
}

/// Checks the script's node request against the given job, or against the machine. Returns false if no check is
/// possible.
bool check_node(Checker& check, const JobSpec& spec, JobScript& script, const Reading& reading) {
    const bool is_job_given = !spec.allocation.shape.empty() || is_given(spec.allocation.nodes);
    const std::shared_ptr<const Machine> machine = load_machine(spec, reading);
    std::optional<Allocation> job;
    if (is_job_given) job = allocate(*machine, spec.allocation);
    if (!script.node && is_job_given) {
        // node= may come from the command line of pjsub or from a variable.
        check.note("cannot read node=, so the map is checked against the job's own shape", SourcePlace{script.file, 0});
        script.node = Located<NodeRequest>{{job->fold.logical_sizes, "", ""}, {script.file, 0}};
    } else if (!script.node && script.has_unread_node) {
        check.problem("cannot read node=, so the map cannot be checked", SourcePlace{script.file, 0},
                      "correct node= in the script, or give the shape of the job with §shape");
        check.result().is_map_checked = false;
        return false;
    } else if (is_job_given) {
        check_node_against_job(check, script, *machine, *job);
    } else {
        if (!script.node) {
            check.note("node= is missing, so PJM gives the job 1 node", SourcePlace{script.file, 0},
                       "give the shape of the job with §shape");
            script.node = Located<NodeRequest>{{{1}, "", ""}, {script.file, 0}};
        }
        check_node_against_machine(check, script, *machine, spec.allocation.fold == kScatteredFold);
    }
    return true;
}

/// Checks the script against the job or the machine, then the map against the script.
void check_with_script(Checker& check, std::string_view text, const JobSpec& spec, const CheckedMap& checked,
                       const Reading& reading) {
    JobScript script = parse_job_script(read_file(spec.job_script, kLargestScriptBytes), spec.job_script);
    if (!script.has_directives) {
        return check.problem("the script has no #PJM line", SourcePlace{spec.job_script, 0},
                             "give the script that is submitted with pjsub, or leave out §job");
    }
    for (const InputError& error : script.problems) check.problem(error);
    if (!check_node(check, spec, script, reading)) return check_use(check, script, checked.map);
    const Sizes shape = process_shape(check, script);
    const std::int64_t nodes = product(shape);
    const std::optional<std::int32_t> asked = spec.allocation.ranks_per_node;
    const std::int64_t per_node = processes_per_node(script, nodes);
    check_processes(check, script, nodes, per_node, asked);
    check_use(check, script, checked.map);

    const bool is_fujitsu = checked.format.empty() ? looks_like_fujitsu(text) : checked.format == "fujitsu";
    if (!is_fujitsu) {
        check.problem("PJM requires a map in the format fujitsu, but " + shown(checked.map) + " has another format", {},
                      "convert it with haichi convert -t fujitsu");
        return;
    }
    if (nodes > kMostVertices) return;  // exceeds every machine, which is already reported
    const auto ranks = static_cast<std::int32_t>(std::min<std::int64_t>(ranks_of(script), INT32_MAX));
    if (script.max_proc_per_node) {
        const Allocation logical = logical_job(shape, per_node);
        return check_text(check, text, checked, {.allocation = &logical, .rank_count = ranks});
    }
    const std::int64_t lines = std::ranges::count(text, '\n') + 1;
    const Allocation logical = logical_job(shape, std::clamp(lines, per_node, std::max(per_node, kMostSlots / nodes)));
    check_text(check, text, checked, {.allocation = &logical, .rank_count = ranks}, UnstatedLimit{&script, per_node});
}

}  // namespace

const char* word_of(CheckResult result) {
    switch (result) {
        case CheckResult::kOk:
            return "ok";
        case CheckResult::kNote:
            return "note";
        case CheckResult::kProblem:
            break;
    }
    return "problem";
}

MapCheck check_map(const JobSpec& spec, const CheckedMap& checked, const Reading& reading) {
    if (!checked.format.empty()) (void)rank_map_format(checked.format);
    const std::string text = read_file(checked.map, kLargestMapBytes);
    Checker check;
    if (!spec.job_script.empty()) {
        check_with_script(check, text, spec, checked, reading);
    } else {
        const AllocatedNodes job = load_nodes(spec, reading);
        check_text(check, text, checked, job.rank_maps(0));
    }
    return std::move(check.result());
}

}  // namespace haichi
