// A program outside of haichi. It uses every class of the library, and exits with status 1 at the first difference.
#include <haichi/haichi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <string>

namespace {

int failures = 0;

void check(bool holds, const char* what, int line) {
    if (holds) return;
    std::cerr << "line " << line << ": " << what << "\n";
    ++failures;
}
#define CHECK(condition) check((condition), #condition, __LINE__)

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Calls f, which must throw an E.
template <class E, class F>
E thrown(F&& f) {
    try {
        f();
    } catch (const E& error) {
        return error;
    }
    std::cerr << "nothing was thrown\n";
    ++failures;
    return E(haichi::ErrorKind::kInternal, "", "", 0, "");
}

haichi::Job torus_job(const haichi::Workload& workload) {
    return haichi::Job({.machine = "torus:4x4", .workload = workload, .ppn = 2});
}

void workloads() {
    const haichi::Workload made(3, {{.messages = {{0, 1, 100}, {1, 2, 50}}, .label = "a"}, {.messages = {{2, 0, 7}}}},
                                5);
    CHECK(made.ranks() == 3 && made.iterations() == 5 && made.total_bytes() == 157);
    made.write("made.json");
    const haichi::Workload read = haichi::Workload::read("made.json");
    CHECK(read.sets() == made.sets() && read.sets()[1].label == "set 2");
    CHECK(haichi::Workload(2, {{0, 1, 8}}).sets().size() == 1);
    CHECK(haichi::Workload::pattern("ring", {.ranks = 8}).ranks() == 8);

    thrown<haichi::InputError>([] { haichi::Workload(2, {{0, 2, 8}}); });
    CHECK(thrown<haichi::OptionError>([] { haichi::Workload::pattern("rign", {.ranks = 8}); }).hint() ==
          "did you mean 'ring'?");
    std::ofstream("bad.json") << "{\"schema\": \"haichi-workload/1\",\n\"ranks\": -4}\n";
    const auto error = thrown<haichi::InputError>([] { haichi::Workload::read("bad.json"); });
    CHECK(error.file() == "bad.json" && error.line() == 2 && error.kind() == haichi::ErrorKind::kInput);
    CHECK(std::string(error.what()).find("-4") != std::string::npos);
}

void machines_and_networks() {
    const haichi::Machine torus("torus:4x4");
    CHECK(torus.nodes() == 16 && torus.link_bandwidth() > 0);
    CHECK(thrown<haichi::OptionError>([] { haichi::Machine("fugakku"); }).hint().find("fugaku") != std::string::npos);
    const haichi::Job job = torus_job(haichi::Workload::pattern("ring", {.ranks = 32}));
    CHECK(job.ranks() == 32 && job.nodes() == 16 && job.ranks_per_node() == 2);
    const haichi::Network network = job.network();
    CHECK(network.hops(0, 5) == 2 && network.route(0, 5).size() == 2 && network.route(3, 3).empty());
    CHECK(network.coordinates(5) == (std::vector<std::int32_t>{1, 1}));
    CHECK(network.link_bandwidth(network.route(0, 5)[0]) == torus.link_bandwidth());
    CHECK(!network.link_name(network.route(0, 5)[0]).empty() && network.is_usable(15));
    thrown<haichi::OptionError>([&] { (void)network.hops(0, 16); });
    thrown<haichi::OptionError>([&] { (void)network.link_name(-1); });

    const haichi::Workload pair(2, {{0, 1, 8}});
    const haichi::Job listed({.machine = torus, .workload = pair, .nodes = std::vector<std::int32_t>{3, 0}});
    CHECK(listed.nodes() == 2 && listed.network().hops(0, 1) == 1);
    const haichi::Job part({.machine = "fx10-kyushu", .workload = pair, .shape = {1, 2, 4, 2, 3, 2}});
    CHECK(part.nodes() == 96);
    thrown<haichi::OptionError>([&] {
        haichi::Job({.machine = torus, .workload = pair, .shape = {2, 2}, .nodes = std::vector<std::int32_t>{1, 2}});
    });
    CHECK(thrown<haichi::OptionError>([&] {
              haichi::Job({.machine = torus, .workload = pair, .more = {{"flod", "x"}}});
          }).hint() == "did you mean 'fold'?");
    thrown<haichi::OptionError>([&] { haichi::Job({.machine = torus, .workload = pair, .ppn = 0}); });
}

void searches() {
    const auto workload = haichi::Workload::pattern("cg", {.ranks = 32});
    const haichi::Job job = torus_job(workload);
    int news = 0;
    const haichi::MapOptions quick{
        .objective = "hop-bytes", .seed = 3, .evaluations = 20'000, .restarts = 2, .strategy = "anneal"};
    haichi::MapOptions reported = quick;
    reported.progress = [&](const haichi::SearchProgress& progress) { news += progress.objective == "hop-bytes"; };
    const haichi::Placement placement = haichi::map(job, reported);
    CHECK(placement.node_of_rank() == haichi::map(job, quick).node_of_rank());
    CHECK(placement.search()->objective == "hop-bytes" && placement.search()->evaluations > 0);
    CHECK(news > 0);

    const haichi::Evaluation evaluation = haichi::evaluate(placement, "hop-bytes");
    CHECK(evaluation.asked.value <= evaluation.default_placement.value && evaluation.asked.unit == "byte-hops");
    CHECK(evaluation.all.size() > 3 && evaluation.json.find("haichi-report/1") != std::string::npos);
    double hop_bytes = 0;
    const auto nodes = placement.node_of_rank();
    for (const haichi::CommunicationSet& set : workload.sets()) {
        for (const haichi::Message& m : set.messages) {
            hop_bytes +=
                static_cast<double>(m.bytes) * job.network().hops(nodes[static_cast<std::size_t>(m.source)],
                                                                  nodes[static_cast<std::size_t>(m.destination)]);
        }
    }
    CHECK(evaluation.asked.value == hop_bytes);

    const haichi::Placement usual(job);
    CHECK(!usual.search() && usual.node_of_rank()[2] == 1);
    placement.write("ranks.json", "json");
    CHECK(text_of("ranks.json") == placement.rank_map("json"));
    CHECK(haichi::Placement::read(job, "ranks.json").node_of_rank() == placement.node_of_rank());
    CHECK(haichi::Placement(job, placement.node_of_rank()).rank_map("csv") == placement.rank_map("csv"));
    thrown<haichi::OptionError>([&] { haichi::Placement(job, std::vector<std::int32_t>(32, 0)); });
    thrown<haichi::OptionError>([&] { (void)placement.rank_map("jsno"); });
    thrown<haichi::OptionError>([&] { haichi::map(job, {.objective = "hop-byts"}); });
    thrown<haichi::OptionError>([&] { haichi::map(job, {.evaluations = 5, .time = 1.0}); });
    thrown<haichi::Error>([&] { haichi::map(job, {.evaluations = -5}); });
    haichi::map(job, {.objective = "max-hops", .then = std::vector<std::string>{}, .evaluations = 500, .start = nodes});

    std::stop_source stop;
    stop.request_stop();
    CHECK(haichi::map(job, {.objective = "tac3", .evaluations = 100'000'000, .stop = stop.get_token()})
              .search()
              ->interrupted);
}

/// Sum over ranks of the distance between a rank's node and node 0.
class FromFirst {
  public:
    using Value = std::int64_t;
    static constexpr haichi::plugin::ObjectiveInfo kInfo{"from-first", "hops", "sum over ranks of the hops to node 0"};

    FromFirst(const haichi::plugin::Problem& problem, const haichi::plugin::Placement&) : problem_(problem) {}
    void reset(const haichi::plugin::Placement& placement) { value_ = value_from_scratch(placement); }
    haichi::plugin::Change propose(const haichi::plugin::Placement&, haichi::plugin::Move move) {
        before_ = value_;
        for (const auto& r : move) value_ += problem_.hops(r.to_node, 0) - problem_.hops(r.from_node, 0);
        return {static_cast<double>(value_ - before_), 0};
    }
    void rollback() { value_ = before_; }
    [[nodiscard]] Value value() const { return value_; }
    [[nodiscard]] Value value_from_scratch(const haichi::plugin::Placement& placement) const {
        Value sum = 0;
        for (const haichi::plugin::Node node : placement.node_of_rank()) sum += problem_.hops(node, 0);
        return sum;
    }

  private:
    haichi::plugin::Problem problem_;
    Value value_ = 0;
    Value before_ = 0;
};

/// Like FromFirst, but with a mistake.
class ForgetsRollback : public FromFirst {
  public:
    using FromFirst::FromFirst;
    void rollback() {}
};

void own_objectives() {
    const haichi::Job job({.machine = "torus:4x4", .workload = haichi::Workload::pattern("ring", {.ranks = 5})});
    const haichi::MapOptions options{.objective = haichi::Objective::of<FromFirst>(),
                                     .evaluations = 20'000,
                                     .start = "random",
                                     .more = {{"verify", "step"}}};
    const haichi::Placement placement = haichi::map(job, options);
    const haichi::Evaluation evaluation = haichi::evaluate(placement, options.objective);
    CHECK(evaluation.asked.value == 4 && evaluation.asked.unit == "hops" && evaluation.asked.objective == "from-first");
    haichi::MapOptions mistaken = options;
    mistaken.objective = haichi::Objective::of<ForgetsRollback>();
    const auto error = thrown<haichi::InputError>([&] { haichi::map(job, mistaken); });
    CHECK(std::string(error.what()).starts_with("objective from-first: incremental value ") && !error.hint().empty());
    const haichi::Objective function("sum", [](std::span<const std::int32_t> nodes) {
        return static_cast<double>(std::accumulate(nodes.begin(), nodes.end(), 0));
    });
    CHECK(haichi::evaluate(haichi::map(job, {.objective = function, .evaluations = 20'000}), function).asked.value ==
          10);
    CHECK(std::ranges::any_of(haichi::objectives(), [](const auto& one) { return one.name == "tac3"; }));
}

void simulations() {
    const haichi::Job job({.machine = "fx10-kyushu",
                           .workload = haichi::Workload::pattern("ring", {.ranks = 12, .message_bytes = 4096}),
                           .shape = {1, 1, 1, 2, 3, 2}});
    const haichi::Simulation simulation = haichi::simulate(haichi::Placement(job), {.barrier = "both"});
    CHECK(simulation.runs.size() == 2 && simulation.runs[1].barrier == "sets" && simulation.runs[0].seconds > 0);
    CHECK(simulation.json.find("haichi-simulation/1") != std::string::npos && !simulation.interrupted);
    thrown<haichi::OptionError>([&] { haichi::simulate(haichi::Placement(job), {.form = "calls"}); });
}

void values_that_were_moved() {
    haichi::Workload workload = haichi::Workload::pattern("ring", {.ranks = 8});
    const haichi::Workload other = std::move(workload);
    CHECK(workload.ranks() == 8);  // NOLINT(bugprone-use-after-move)
    haichi::Job job({.machine = "torus:2x4", .workload = other});
    const haichi::Job second = std::move(job);
    CHECK(job.ranks() == second.ranks());  // NOLINT(bugprone-use-after-move)
    try {
        (void)haichi::map(second, {.evaluations = -1});
        CHECK(false);
    } catch (const haichi::OptionError& error) {
        CHECK(error.file().empty());
    }
}

}  // namespace

int main() {
    try {
        workloads();
        machines_and_networks();
        searches();
        own_objectives();
        simulations();
        values_that_were_moved();
    } catch (const haichi::Error& error) {
        std::cerr << error.what() << "\nhint: " << error.hint() << "\n";
        return 1;
    }
    std::cout << haichi::version() << "\n";
    return failures == 0 ? 0 : 1;
}
