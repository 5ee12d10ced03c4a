#include "mapper/job/job.h"

#include "mapper/job/script_request.h"
#include "mapper/start/start.h"
#include "netmodel/machine/logical_torus.h"
#include "netmodel/machine/node_request.h"
#include "objectives/problem_log.h"

namespace haichi {

namespace {

bool has_hosts(const JobSpec& spec) {
    const auto* named = std::get_if<std::string>(&spec.hosts);
    return named == nullptr || !named->empty();
}

/// The host names that the spec states, for this number of nodes.
HostNames stated_hosts(const JobSpec& spec, std::int32_t nodes) {
    const auto* named = std::get_if<std::string>(&spec.hosts);
    if (named != nullptr) return HostNames::read(*named, nodes);
    return HostNames::of(std::get<std::vector<std::string>>(spec.hosts), nodes);
}

void log_nodes(const AllocatedNodes& nodes, const Log& log) {
    if (!log.enabled(LogLevel::kInfo)) return;
    const Allocation& job = *nodes.allocation;
    log.info("job: {} nodes{}, {} usable, at most {} {} per node; routing {}, routes of up to {} links",
             job.node_count(), job.is_node_list ? " from a node list" : "", job.network.usable_node_count(),
             job.ranks_per_node, job.ranks_per_node == 1 ? "rank" : "ranks", job.network.routing_name(),
             job.network.longest_route());
    if (const std::string remark = job.network.routes().remark(); !remark.empty()) log.info("job: {}", remark);
    if (job.network.routes().are_searched_for()) {
        log.info("job: the table of next hops would exceed 256 MiB, so routes are computed on demand");
    }
}

/// PJM gives a job a part of a site's machine. Throws OptionError if neither the spec nor a script states which part,
/// and the machine has more nodes than the ranks need. Sizes in the machine's name, as in fx10:1x2x4, also state the
/// nodes.
void check_nodes_are_stated(const JobSpec& spec, const AllocatedNodes& nodes, std::int32_t rank_count) {
    const Allocation& job = *nodes.allocation;
    const bool is_stated = !spec.allocation.shape.empty() || is_given(spec.allocation.nodes) || nodes.script;
    const bool has_own_sizes = nodes.machine->name.find(':') != std::string::npos;
    if (is_stated || has_own_sizes || !has_logical_axes(*nodes.machine)) return;
    const std::int32_t needed = (rank_count + job.ranks_per_node - 1) / job.ranks_per_node;
    if (needed >= job.network.usable_node_count()) return;
    const std::vector<std::int32_t> compact = compact_request(*nodes.machine, needed);
    const std::string part = compact.empty() ? "§shape" : "§shape " + sizes_text(compact);
    throw OptionError("machine " + nodes.machine->name + " requires a choice of nodes: " + std::to_string(rank_count) +
                          (rank_count == 1 ? " rank needs " : " ranks need ") + std::to_string(needed) + " of its " +
                          std::to_string(job.node_count()) + " nodes",
                      "use " + part + " as in node=" + sizes_text(compact) +
                          ", §job SCRIPT, or §nodes FILE; the whole machine is §shape " + sizes_text(job.shape));
}

/// Throws OptionError if there are more ranks than slots on the nodes that are not faulty.
void check_ranks_fit(std::int32_t rank_count, const Allocation& job) {
    const std::int64_t slots = job.open_slot_count();
    if (!job.slots_of_node.empty() && rank_count > slots) {
        throw OptionError(std::to_string(rank_count) + " ranks do not fit on " +
                              std::to_string(job.network.usable_node_count()) + " nodes with " + std::to_string(slots) +
                              " rank slots together",
                          "use more nodes, or state a larger number of ranks per node with §ppn");
    }
    const Mapping fits(rank_count, job.network.usable_node_count(), job.ranks_per_node);
}

}  // namespace

std::shared_ptr<const Machine> load_machine(const JobSpec& spec, const Reading& reading) {
    if (const auto* shared = std::get_if<std::shared_ptr<const Machine>>(&spec.machine)) return *shared;
    if (const auto* value = std::get_if<Machine>(&spec.machine)) return std::make_shared<const Machine>(*value);
    if (const auto* text = std::get_if<MachineSource>(&spec.machine)) {
        MachineSource source = *text;
        return std::make_shared<const Machine>(load_machine(source, reading));
    }
    return std::make_shared<const Machine>(load_machine(std::get<std::string>(spec.machine), reading));
}

JobSpec loaded(const JobSpec& spec, const Reading& reading) {
    JobSpec loaded = spec;
    loaded.traffic = {.source = load_traffic(spec.traffic, reading)};
    loaded.machine = load_machine(spec, reading);
    return loaded;
}

AllocatedNodes load_nodes(const JobSpec& spec, const Reading& reading) {
    AllocatedNodes nodes;
    nodes.machine = load_machine(spec, reading);
    const Machine& machine = *nodes.machine;
    AllocationRequest request = spec.allocation;
    if (!spec.job_script.empty()) {
        nodes.script = std::make_shared<const JobScript>(read_job_script(spec.job_script));
        request = with_job_script(std::move(request), *nodes.script, machine);
    }
    bool hosts_are_used = false;
    if (has_hosts(spec)) {
        // The names in a node list are looked up among the names of all nodes of the machine.
        request.node_names = [&] {
            hosts_are_used = true;
            return stated_hosts(spec, terminal_count(machine)).names();
        };
    }
    nodes.allocation = std::make_shared<const Allocation>(allocate(machine, request));
    const Allocation& job = *nodes.allocation;
    if (has_hosts(spec) && !hosts_are_used) {
        nodes.hosts = std::make_shared<const HostNames>(stated_hosts(spec, job.node_count()));
    } else if (!job.host_names.empty()) {
        nodes.hosts = std::make_shared<const HostNames>(HostNames::of(job.host_names, job.node_count()));
    }
    nodes.cores_per_rank = spec.cores_per_rank;
    nodes.imbalance = spec.imbalance;
    log_nodes(nodes, reading.log());
    return nodes;
}

JobProblem::JobProblem(const Workload& workload, const Allocation& allocation, const Machine& machine)
    : logical(logical_torus(allocation)),
      problem(workload, allocation.network, allocation.ranks_per_node, logical ? &*logical : nullptr) {
    problem.set_machine_costs(machine_costs_of(machine));
}

Job::Job(const JobSpec& spec, const Reading& reading) {
    auto traffic = load_traffic(spec.traffic, reading);
    AllocatedNodes nodes = load_nodes(spec, reading);
    if (spec.imbalance && spec.allocation.ranks_per_node) {
        throw OptionError("§imbalance cannot be combined with §ppn",
                          "leave §ppn out: a node holds a group of any size");
    }
    if (!spec.imbalance) check_nodes_are_stated(spec, nodes, traffic->rank_count());
    if (spec.tasks && traffic->rank_count() > *spec.tasks) {
        throw OptionError("the workload has " + std::to_string(traffic->rank_count()) +
                              " ranks, but the Slurm job has " + std::to_string(*spec.tasks) +
                              (*spec.tasks == 1 ? " task" : " tasks"),
                          "request as many tasks as the workload has ranks");
    }
    if (nodes.script) check_against_script(*nodes.script, *nodes.allocation, traffic->rank_count());
    *this = Job(std::move(nodes), std::move(traffic));
}

Job::Job(AllocatedNodes nodes, std::shared_ptr<const LoadedTraffic> traffic) {
    std::optional<RankBalance> balance;
    if (nodes.imbalance) {
        if (!nodes.allocation->slots_of_node.empty()) {
            throw UnsupportedError("§imbalance cannot be combined with different numbers of rank slots",
                                   "list the nodes without slots: a node holds a group of any size");
        }
        balance = rank_balance(traffic->workload().rank_weights(), traffic->rank_count(),
                               nodes.allocation->network.usable_node_count(), *nodes.imbalance);
        Allocation with_slots = *nodes.allocation;
        with_slots.ranks_per_node = balance->most_ranks;
        nodes.allocation = std::make_shared<const Allocation>(std::move(with_slots));
    }
    check_ranks_fit(traffic->rank_count(), *nodes.allocation);
    Mapping placed = balance ? balanced_placement(*balance, *nodes.allocation)
                             : haichi::default_placement(traffic->rank_count(), *nodes.allocation);
    parts_ = std::shared_ptr<const Parts>(
        new Parts{std::move(nodes), std::move(traffic), std::move(placed), std::move(balance)});
}

std::shared_ptr<const JobProblem> Job::problem(const Log& log) const {
    const std::scoped_lock lock(parts_->mutex);
    std::shared_ptr<const JobProblem> posed = parts_->problem.lock();
    if (posed != nullptr) return posed;
    // The problem refers to the parts, so this object keeps both alive.
    struct Held {
        std::shared_ptr<const Parts> parts;
        JobProblem posed;

        Held(std::shared_ptr<const Parts> of, const Log& log)
            : parts(std::move(of)),
              posed(parts->traffic->workload(log), *parts->nodes.allocation, *parts->nodes.machine) {
            posed.problem.set_slots_of_node(parts->nodes.allocation->slots_of_node);
            if (parts->balance) posed.problem.set_node_capacity(parts->balance->capacity);
        }
    };
    const auto held = std::make_shared<const Held>(parts_, log);
    posed = std::shared_ptr<const JobProblem>(held, &held->posed);
    parts_->problem = posed;
    log_tables(posed->problem, log);
    return posed;
}

Job Job::with_message_size(std::int64_t size_bytes) const {
    return {parts_->nodes, parts_->traffic->with_message_size(size_bytes)};
}

Job Job::on(Allocation allocation) const {
    AllocatedNodes nodes = parts_->nodes;
    nodes.allocation = std::make_shared<const Allocation>(std::move(allocation));
    return {std::move(nodes), parts_->traffic};
}

Job Job::with_workload(Workload workload) const {
    return {parts_->nodes, load_traffic({.source = std::move(workload)})};
}

std::vector<Job> jobs_of_shapes(const JobSpec& spec, std::span<const std::vector<std::int32_t>> shapes,
                                const Reading& reading) {
    JobSpec shared = loaded(spec, reading);
    std::vector<Job> jobs;
    for (const auto& shape : shapes) {
        shared.allocation.shape = shape;
        jobs.emplace_back(shared, reading);
    }
    return jobs;
}

}  // namespace haichi
