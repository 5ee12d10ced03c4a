#include "mapper/job/advise_spread.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/errors.h"
#include "mapper/job/map.h"
#include "mgen/replay/simulation.h"

namespace haichi {

namespace {

/// Usable nodes that the job has in each cluster, by the machine's terminals.
using NodesOfClusters = std::vector<std::vector<std::int32_t>>;

NodesOfClusters nodes_of_clusters(const Network& network) {
    const std::vector<std::int32_t> first = network.topology().regions();
    NodesOfClusters nodes(first.size());
    for (std::int32_t n = 0; n < network.node_count(); ++n) {
        if (!network.is_usable(NodeId(n))) continue;
        const std::int32_t terminal = network.vertex(NodeId(n)).value;
        nodes[static_cast<std::size_t>(std::ranges::upper_bound(first, terminal) - first.begin()) - 1].push_back(
            terminal);
    }
    return nodes;
}

std::int32_t quotient_up(std::int64_t a, std::int64_t b) { return static_cast<std::int32_t>((a + b - 1) / b); }

/// `needed` nodes in proportion to the clusters' sizes: what is left of whole shares goes to the largest remainders, of
/// equal ones to the larger cluster, then to the first.
std::vector<std::int64_t> shares_of(const NodesOfClusters& nodes, std::int64_t needed) {
    const auto size = [&](std::size_t c) { return static_cast<std::int64_t>(nodes[c].size()); };
    std::int64_t all = 0;
    for (std::size_t c = 0; c < nodes.size(); ++c) all += size(c);
    std::vector<std::int64_t> shares;
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < nodes.size(); ++c) {
        shares.push_back(size(c) * needed / all);
        order.push_back(c);
    }
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t c) { return std::pair(size(c) * needed % all, size(c)); });
    std::int64_t left = needed - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
    for (auto c = order.begin(); left > 0; ++c, --left) ++shares[*c];
    return shares;
}

double compute_seconds_of(const Workload& workload) {
    double seconds = 0;
    for (std::size_t t = 0; t < workload.set_count(); ++t) seconds += workload.set(t).compute_seconds;
    return seconds;
}

/// Its ranks compute so long before the first set.
Workload with_computing(const Workload& workload, double seconds) {
    Workload computing(workload.rank_count(), workload.iterations());
    computing.reserve_messages(workload.messages().size());
    if (workload.set_count() == 0) computing.add_set("", seconds);
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        computing.add_set(workload.set(t).label, t == 0 ? seconds : 0, workload.set(t).transfer);
        for (const Message& m : workload.messages(t)) computing.add_message(m.source, m.destination, m.size_bytes);
    }
    return computing;
}

class SpreadRun {
  public:
    SpreadRun(const JobSpec& spec, const SpreadAdviceOptions& options, const AdviceControl& control)
        : options_(options), control_(control), one_(loaded(spec, control.log)), all_(one_) {
        if (options.seeds < 1) throw OptionError("at least one seed is needed");
        if (options.spread_traffic) all_.traffic = {.source = load_traffic(*options.spread_traffic, control.log)};
        report_.machine = machine().name;
        report_.question.delay_seconds = static_cast<double>(machine().topology->delay_ps()) / kPsPerSecond;
        find_places();
        find_form();
        find_computing();
        report_.question.iterations = traffic_of(one_).rank_count() > 0 && !report_.of_calls
                                          ? traffic_of(one_).workload(control.log).iterations()
                                          : 1;
    }

    SpreadAdviceReport run() {
        const std::vector<std::string> missing = missing_times(machine());
        if (!missing.empty()) {
            report_.question.unknown_because = "machine " + machine().name + " does not state " + listed(missing) +
                                               ", without which simulated times mean nothing";
        } else {
            search();
            if (!report_.question.interrupted) simulate();
        }
        SpreadTrials trials;
        if (machine().topology->with_delay(0) != nullptr) {
            trials.with_delay = [this](double delay_seconds) { return time_with_delay(delay_seconds); };
        }
        trials.with_computing = [this](double seconds) { return times_with_computing(seconds); };
        report_.advice = advise_spread(report_.question, trials);
        report_.interrupted = report_.advice.interrupted;
        return std::move(report_);
    }

  private:
    /// Where the job may be, and what it does there.
    struct Place {
        SpreadPlace* times = nullptr;
        Job job;
        std::vector<std::optional<Placement>> found{};  ///< by seed
        std::optional<Placement> fastest{};
    };

    [[nodiscard]] const Machine& machine() const { return *std::get<std::shared_ptr<const Machine>>(one_.machine); }
    [[nodiscard]] static const LoadedTraffic& traffic_of(const JobSpec& spec) {
        return *std::get<std::shared_ptr<const LoadedTraffic>>(spec.traffic.source);
    }

    // ---- Where the job can be ---------------------------------------------------------------------------------------

    void find_places() {
        const Allocation allocation = allocate(machine(), one_.allocation);
        const NodesOfClusters nodes = nodes_of_clusters(allocation.network);
        if (nodes.size() < 2) {
            throw UnsupportedError(
                "machine " + machine().name + " has one cluster: a job cannot be spread",
                "a machine of several is two-clusters, or a file whose topology has kind 'clusters'");
        }
        const auto used = std::ranges::count_if(nodes, [](const auto& list) { return !list.empty(); });
        if (used < 2) {
            throw OptionError(
                "the job's nodes are in one cluster of " + machine().name + ": there is nothing to spread",
                "--nodes lists those that it may have, of all clusters");
        }
        find_one_cluster(nodes);
        find_all_clusters(nodes);
    }

    void find_one_cluster(const NodesOfClusters& nodes) {
        const std::int64_t ranks = traffic_of(one_).rank_count();
        std::vector<std::size_t> order(nodes.size());
        for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
        std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) { return nodes[c].size(); });
        for (const std::size_t c : order) {
            if (report_.question.in_one.size() >= kMostClustersTried) break;
            if (static_cast<std::int64_t>(nodes[c].size()) * one_.allocation.ranks_per_node < ranks) break;
            report_.question.in_one.push_back(
                place_of({c}, static_cast<std::int32_t>(ranks), static_cast<std::int32_t>(nodes[c].size())));
            nodes_in_one_.push_back(nodes[c]);
        }
        if (!report_.question.in_one.empty()) return;
        const std::size_t most = nodes[order.front()].size();
        const std::int32_t each = one_.allocation.ranks_per_node;
        throw OptionError(std::to_string(ranks) + " ranks do not fit into one cluster of " + machine().name +
                              ": the largest has " + std::to_string(most) + (most == 1 ? " node" : " nodes") + " for " +
                              std::to_string(each) + (each == 1 ? " rank each" : " ranks each"),
                          "give --ppn " + std::to_string(quotient_up(ranks, static_cast<std::int64_t>(most))) +
                              ", or a workload of fewer ranks, with that of more in --spread-workload");
    }

    /// So many nodes of each cluster that every one has its share.
    void find_all_clusters(const NodesOfClusters& nodes) {
        const std::int64_t ranks = traffic_of(all_).rank_count();
        if (ranks < traffic_of(one_).rank_count()) {
            throw OptionError("--spread-workload has " + std::to_string(ranks) + " ranks, fewer than the " +
                                  std::to_string(traffic_of(one_).rank_count()) + " in one cluster",
                              "it is the same work on the ranks of all clusters");
        }
        std::int64_t all = 0;
        for (const auto& list : nodes) all += static_cast<std::int64_t>(list.size());
        const std::int32_t each = std::max(quotient_up(ranks, all), 1);
        if (each > one_.allocation.ranks_per_node) {
            throw OptionError(
                std::to_string(ranks) + " ranks do not fit on the " + std::to_string(all) + " nodes of all clusters",
                "give --ppn " + std::to_string(each));
        }
        const std::int64_t needed = std::max<std::int64_t>(quotient_up(ranks, each), 2);
        std::vector<std::size_t> clusters;
        const std::vector<std::int64_t> shares = shares_of(nodes, needed);
        for (std::size_t c = 0; c < nodes.size(); ++c) {
            if (shares[c] == 0) continue;
            clusters.push_back(c);
            nodes_over_all_.insert(nodes_over_all_.end(), nodes[c].begin(),
                                   nodes[c].begin() + static_cast<std::ptrdiff_t>(shares[c]));
        }
        report_.question.over_all = place_of(std::move(clusters), static_cast<std::int32_t>(ranks),
                                             static_cast<std::int32_t>(nodes_over_all_.size()));
    }

    static SpreadPlace place_of(std::vector<std::size_t> clusters, std::int32_t ranks, std::int32_t nodes) {
        return {.clusters = std::move(clusters),
                .ranks = ranks,
                .nodes = nodes,
                .ranks_per_node = std::max(quotient_up(ranks, nodes), 1)};
    }

    // ---- What it does there -----------------------------------------------------------------------------------------

    void find_form() {
        SimulationOptions asked;
        asked.form = options_.form;
        const auto calls = [&](const JobSpec& spec) {
            return replays_calls(job_on(spec, report_.question.over_all, nodes_over_all_), asked, control_.log);
        };
        report_.of_calls = calls(one_);
        if (!options_.spread_traffic || calls(all_) == report_.of_calls) return;
        throw OptionError(
            "the two workloads cannot be compared: one is a log, whose calls are simulated, the other one has sets",
            "--as sets compares the sets of both");
    }

    void find_computing() {
        if (report_.of_calls) {
            if (options_.compute_seconds) {
                throw OptionError(
                    "--compute-time is for communication sets: the calls of a log state their own computing times",
                    "leave it out, or compare sets with --as sets");
            }
            report_.question.computing_is_known = true;
            return;
        }
        const Workload& one = traffic_of(one_).workload(control_.log);
        const Workload& all = traffic_of(all_).workload(control_.log);
        const double stated = compute_seconds_of(one);
        const double stated_of_all = compute_seconds_of(all);
        if (!options_.compute_seconds) {
            report_.compute_seconds = stated;
            report_.question.computing_is_known = stated > 0 && stated_of_all > 0;
            return;
        }
        if (stated > 0 || stated_of_all > 0) {
            throw OptionError("--compute-time is given, but the workload states a computing time itself",
                              "its 'compute_seconds'");
        }
        if (one.set_count() == 0 || all.set_count() == 0) {
            throw OptionError("--compute-time is given, but a workload has no sets before which ranks compute");
        }
        report_.compute_seconds = *options_.compute_seconds;
        report_.question.computing_is_known = true;
        set_computing(one_, one, report_.compute_seconds);
        set_computing(all_, all, shared_seconds(report_.compute_seconds));
    }

    /// Of a rank over all clusters.
    [[nodiscard]] double shared_seconds(double seconds) const {
        return seconds * traffic_of(one_).rank_count() / traffic_of(all_).rank_count();
    }

    static void set_computing(JobSpec& spec, const Workload& workload, double seconds) {
        spec.traffic = {.source = load_traffic({.source = with_computing(workload, seconds)})};
    }

    [[nodiscard]] static Job job_on(const JobSpec& spec, const SpreadPlace& place,
                                    const std::vector<std::int32_t>& nodes) {
        JobSpec on = spec;
        on.allocation.shape.clear();
        on.allocation.origin.clear();
        on.allocation.nodes = nodes;
        on.allocation.ranks_per_node = std::max(quotient_up(traffic_of(spec).rank_count(), place.nodes), 1);
        on.hosts = std::string();
        return Job(on);
    }

    // ---- Searches and simulations -----------------------------------------------------------------------------------

    void search() {
        for (std::size_t k = 0; k < report_.question.in_one.size(); ++k) {
            SpreadPlace& place = report_.question.in_one[k];
            places_.push_back({.times = &place, .job = job_on(one_, place, nodes_in_one_[k])});
        }
        SpreadPlace& over_all = report_.question.over_all;
        places_.push_back({.times = &over_all, .job = job_on(all_, over_all, nodes_over_all_)});
        const auto seeds = static_cast<std::size_t>(options_.seeds);
        for (Place& place : places_) place.found.resize(seeds);
        const auto count = static_cast<std::int64_t>(places_.size() * seeds);
        std::int64_t done = 0;
        std::mutex mutex;
        const auto tell = [&](std::int64_t more) {
            const std::scoped_lock lock(mutex);
            done += more;
            if (control_.progress) control_.progress({"searching", done, count});
        };
        tell(0);
        run_side_by_side(count, options_.threads, [&](std::int64_t i) {
            if (control_.is_stopped()) return;
            Place& place = places_[static_cast<std::size_t>(i) / seeds];
            MapOptions options{.objective = options_.objective, .strategy = "auto"};
            if (options.objective.is_auto()) {
                options.objective.name = suited_objectives(place.job.problem()->problem).front();
            }
            options.search.seed = options_.seed + static_cast<std::size_t>(i) % seeds;
            options.search.threads = 1;  // searches run side by side
            place.found[static_cast<std::size_t>(i) % seeds] = map(place.job, options, {{}, control_.stop});
            tell(1);
        });
        report_.question.interrupted = control_.is_stopped();
        for (const Place& place : places_) {
            for (const auto& found : place.found) {
                if (found && report_.objective.empty()) report_.objective = found->search()->objective;
            }
        }
    }

    /// Of one that takes longest.
    [[nodiscard]] double packet_hops() const {
        double hops = 0;
        for (const Place& place : places_) {
            const Placement placement(place.job);
            hops = std::max(hops,
                            report_.of_calls ? packet_hops_of_calls(placement) : packet_hops_per_iteration(placement));
        }
        return hops;
    }

    [[nodiscard]] AdviceRun run_of(const Placement& placement) const {
        AdviceRun run;
        run.placement = &placement;
        run.iterations = report_.iterations;
        run.form = report_.of_calls ? TrafficForm::kCalls : TrafficForm::kSets;
        return run;
    }

    void simulate() {
        constexpr std::int64_t kOfBreakEven = 12;
        const auto runs =
            static_cast<std::int64_t>(places_.size() * (static_cast<std::size_t>(options_.seeds) + 1)) + kOfBreakEven;
        const double hops = packet_hops();
        const auto iterations = affordable_iterations(hops, report_.question.iterations, runs, options_.packet_hops);
        if (!iterations) {
            report_.question.unknown_because =
                std::string(report_.of_calls ? "simulations of the calls" : "simulations of two iterations") +
                " would pass the budget of packet-hops by far";
            return;
        }
        report_.iterations = *iterations;
        std::vector<Placement> placements;
        for (const Place& place : places_) {
            placements.emplace_back(place.job);
            for (const auto& found : place.found) placements.push_back(*found);
        }
        std::vector<AdviceRun> batch;
        for (const Placement& placement : placements) batch.push_back(run_of(placement));
        control_.log.info("advice: {} simulations, {} packet-hops in an iteration of the longest", batch.size(), hops);
        const auto times = simulate_runs(batch, options_.threads, control_);
        report_.simulations = std::ranges::count_if(times, [](const auto& time) { return time.has_value(); });
        if (report_.simulations < static_cast<std::int64_t>(times.size())) {
            report_.question.interrupted = true;
            return;
        }
        std::size_t next = 0;
        for (Place& place : places_) {
            place.times->by_default = {*times[next]};
            std::size_t best = next++;
            for (std::size_t seed = 0; seed < place.found.size(); ++seed, ++next) {
                place.times->mapped.push_back(*times[next]);
                if (times[next]->seconds < times[best]->seconds) best = next;
            }
            place.fastest = placements[best];
        }
    }

    // ---- What if ----------------------------------------------------------------------------------------------------

    std::optional<SimulatedTime> time_of(const Placement& placement) {
        const AdviceRun run = run_of(placement);
        const auto times = simulate_runs(std::span(&run, 1), 1, control_);
        report_.simulations += times.front() ? 1 : 0;
        return times.front();
    }

    std::optional<SimulatedTime> time_with_delay(double delay_seconds) {
        Machine slower = machine();
        slower.topology = slower.topology->with_delay(std::llround(delay_seconds * kPsPerSecond));
        JobSpec spec = all_;
        spec.machine = std::make_shared<const Machine>(std::move(slower));
        return time_of({job_on(spec, report_.question.over_all, nodes_over_all_), places_.back().fastest->mapping()});
    }

    std::optional<SpreadTrials::Both> times_with_computing(double seconds) {
        const auto place = std::ranges::min_element(places_.begin(), places_.end() - 1, {}, [](const Place& one) {
            return haichi::fastest(*one.times).seconds;
        });
        const auto time = [&](const Placement& placement, double computing) {
            const Job& job = placement.job();
            return time_of({job.with_workload(with_computing(job.workload(), computing)), placement.mapping()});
        };
        const auto in_one = time(*place->fastest, seconds);
        const auto over_all = time(*places_.back().fastest, shared_seconds(seconds));
        if (!in_one || !over_all) return std::nullopt;
        return SpreadTrials::Both{*in_one, *over_all};
    }

    const SpreadAdviceOptions& options_;
    const AdviceControl& control_;
    JobSpec one_;  ///< both are read; the nodes are those asked for
    JobSpec all_;
    std::vector<std::vector<std::int32_t>> nodes_in_one_;  ///< as SpreadQuestion::in_one
    std::vector<std::int32_t> nodes_over_all_;
    std::vector<Place> places_;  ///< in one cluster, in its order; then over all
    SpreadAdviceReport report_;
};

}  // namespace

SpreadAdviceReport advise_spread(const JobSpec& spec, const SpreadAdviceOptions& options,
                                 const AdviceControl& control) {
    return SpreadRun(spec, options, control).run();
}

}  // namespace haichi
