#include <utility>

#include "base/outputs.h"
#include "library/data.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/report/verdict.h"
#include "options/job_options.h"

namespace haichi::v0 {

namespace {

using detail::Access;

std::shared_ptr<const detail::MachineData> as_data(haichi::Machine machine) {
    return std::make_shared<const detail::MachineData>(
        detail::MachineData{std::make_shared<const haichi::Machine>(std::move(machine))});
}

NodeId checked_node(const haichi::Network& network, std::int32_t node) {
    if (node >= 0 && node < network.node_count()) return NodeId(node);
    throw haichi::OptionError("invalid node: " + std::to_string(node) + " (the job has " +
                              std::to_string(network.node_count()) + " nodes)");
}

LinkId checked_link(const haichi::Network& network, std::int32_t link) {
    if (link >= 0 && link < network.link_count() && network.link_exists(LinkId(link))) return LinkId(link);
    throw haichi::OptionError("invalid link: " + std::to_string(link) + " (links have numbers below " +
                              std::to_string(network.link_count()) + ")");
}

NodeId usable_node(const haichi::Network& network, std::int32_t node) {
    const NodeId id = checked_node(network, node);
    if (!network.is_usable(id)) throw haichi::OptionError("faulty node: " + std::to_string(node) + " has no routes");
    return id;
}

haichi::JobSpec as_spec(const JobSpec& given) {
    JobOptions options;
    OptionTable table;
    options.declare_nodes(table, JobUse::kMeasure);
    detail::take(table, "shape", detail::joined(given.shape, 'x'));
    detail::take(table, "origin", detail::joined(given.origin, 'x'));
    detail::take(table, "ppn", given.ppn);
    detail::take(table, "routing", given.routing);
    detail::take(table, "hosts", given.hosts);
    const auto* const list = std::get_if<std::string>(&given.nodes);
    if (list != nullptr) detail::take(table, "nodes", *list);
    detail::take_more(table, given.more);
    haichi::JobSpec spec = options.spec;
    if (list == nullptr) {
        if (!given.shape.empty()) throw haichi::OptionError("§nodes cannot be combined with §shape");
        if (const auto* numbers = std::get_if<std::vector<std::int32_t>>(&given.nodes))
            spec.allocation.nodes = *numbers;
        if (const auto* names = std::get_if<std::vector<std::string>>(&given.nodes)) spec.allocation.nodes = *names;
    }
    spec.machine = Access::data(given.machine)->machine;
    spec.traffic = {.source = Access::data(given.workload)->traffic};
    return spec;
}

std::shared_ptr<const detail::PlacementData> as_data(const Job& job, haichi::Placement placement) {
    return std::make_shared<const detail::PlacementData>(
        detail::PlacementData{Access::data(job), std::move(placement)});
}

const RankMapFormat& format_of(const std::string& name, const RankMapContext& context) {
    return name.empty() ? default_rank_map_format(context) : rank_map_format(name);
}

}  // namespace

Machine::Machine(const std::string& name) : data_(detail::converted([&] { return as_data(load_machine(name)); })) {}
Machine::Machine(const char* name) : Machine(std::string(name)) {}
Machine::Machine(std::shared_ptr<const detail::MachineData> data) : data_(std::move(data)) {}

Machine Machine::parse(const std::string& text, const std::string& file) {
    return detail::converted([&] { return Machine(as_data(parse_machine(text, file))); });
}

const std::string& Machine::name() const { return data_->machine->name; }
std::optional<std::int32_t> Machine::nodes() const {
    if (data_->machine->size_is_open) return std::nullopt;
    return terminal_count(*data_->machine);
}
std::int64_t Machine::link_bandwidth() const { return data_->machine->link_bandwidth_bytes_per_s; }

Job::Job(const JobSpec& spec)
    : data_(detail::converted([&] { return std::make_shared<const detail::JobData>(haichi::Job(as_spec(spec))); })) {}

Job::Job(std::shared_ptr<const detail::JobData> data) : data_(std::move(data)) {}

Network Job::network() const { return Access::make<Network>(data_); }
std::int32_t Job::ranks() const { return data_->job.rank_count(); }
std::int32_t Job::nodes() const { return data_->job.allocation().node_count(); }
std::int32_t Job::ranks_per_node() const { return data_->job.allocation().ranks_per_node; }
const std::vector<std::int32_t>& Job::shape() const { return data_->job.allocation().shape; }

Network::Network(std::shared_ptr<const detail::JobData> job) : job_(std::move(job)) {}

std::int32_t Network::nodes() const { return job_->job.allocation().node_count(); }
std::int32_t Network::links() const { return job_->job.allocation().network.link_count(); }

std::vector<std::int32_t> Network::coordinates(std::int32_t node) const {
    return detail::converted([&] {
        const Allocation& allocation = job_->job.allocation();
        const Coordinates at = allocation.machine_coordinates(checked_node(allocation.network, node));
        return std::vector<std::int32_t>(at.begin(), at.end());
    });
}

std::string Network::node_name(std::int32_t node) const {
    return detail::converted([&] {
        const haichi::Network& network = job_->job.allocation().network;
        return network.node_name(checked_node(network, node));
    });
}

bool Network::is_usable(std::int32_t node) const {
    return detail::converted([&] {
        const haichi::Network& network = job_->job.allocation().network;
        return network.is_usable(checked_node(network, node));
    });
}

std::int32_t Network::hops(std::int32_t from, std::int32_t to) const {
    return detail::converted([&] {
        const haichi::Network& network = job_->job.allocation().network;
        return network.hops(usable_node(network, from), usable_node(network, to));
    });
}

std::vector<std::int32_t> Network::route(std::int32_t from, std::int32_t to) const {
    return detail::converted([&] {
        const haichi::Network& network = job_->job.allocation().network;
        std::vector<LinkId> links;
        network.append_route(usable_node(network, from), usable_node(network, to), links);
        std::vector<std::int32_t> numbers;
        for (const LinkId link : links) numbers.push_back(link.value);
        return numbers;
    });
}

std::string Network::link_name(std::int32_t link) const {
    return detail::converted([&] {
        const haichi::Network& network = job_->job.allocation().network;
        return network.link_name(checked_link(network, link));
    });
}

std::int64_t Network::link_bandwidth(std::int32_t link) const {
    return detail::converted([&] {
        const haichi::Network& network = job_->job.allocation().network;
        return network.bandwidth_bytes_per_s(checked_link(network, link));
    });
}

Placement::Placement(const Job& job) : data_(as_data(job, haichi::Placement(Access::data(job)->job))) {}

Placement::Placement(const Job& job, const std::vector<std::int32_t>& node_of_rank)
    : data_(detail::converted(
          [&] { return as_data(job, given_placement(Access::data(job)->job, detail::node_ids(node_of_rank))); })) {}

Placement::Placement(std::shared_ptr<const detail::PlacementData> data) : data_(std::move(data)) {}

Placement Placement::read(const Job& job, const std::string& path, const std::string& format) {
    return detail::converted(
        [&] { return Placement(as_data(job, given_placement(Access::data(job)->job, path, format))); });
}

Job Placement::job() const { return Access::make<Job>(data_->job); }

std::vector<std::int32_t> Placement::node_of_rank() const {
    std::vector<std::int32_t> nodes;
    for (const NodeId node : data_->placement.mapping().node_of_rank()) nodes.push_back(node.value);
    return nodes;
}

std::optional<SearchRecord> Placement::search() const {
    const haichi::SearchRecord* const found = data_->placement.search();
    if (found == nullptr) return std::nullopt;
    SearchRecord record{.strategy = found->strategy,
                        .objective = found->objective,
                        .evaluations = found->evaluations,
                        .interrupted = found->interrupted};
    if (found->trials) {
        const Verdict verdict = verdict_of(*found->trials);
        record.helps = verdict.helps;
        record.fraction_saved = verdict.share_saved;
    }
    return record;
}

std::string Placement::rank_map(const std::string& format) const {
    return detail::converted([&] {
        const RankMapContext context = data_->placement.job().rank_maps();
        return format_of(format, context).write(data_->placement.mapping(), context);
    });
}

void Placement::write(const std::string& path, const std::string& format) const {
    const std::string text = rank_map(format);
    detail::converted([&] {
        Outputs outputs;
        OutputFile& file = outputs.add_file(path);
        outputs.open();
        file.write(text);
        outputs.commit();
    });
}

std::string Placement::launch_lines(const std::string& format, const std::string& file) const {
    return detail::converted([&] {
        const RankMapContext context = data_->placement.job().rank_maps();
        return haichi::launch_lines(format_of(format, context), data_->placement.mapping(), context, file);
    });
}

}  // namespace haichi::v0
