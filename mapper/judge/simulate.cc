#include "mapper/judge/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/errors.h"
#include "base/quantity.h"
#include "base/stop_flag.h"
#include "netmodel/packetsim/machine_timing.h"

namespace haichi {

namespace {

/// Per set: whether a barrier precedes it.
std::vector<bool> barriers_of(const BarrierChoice& choice, std::size_t set_count) {
    std::vector<bool> barriers(set_count, choice.sets.empty());
    for (const std::size_t t : choice.sets) {
        if (t >= set_count) {
            throw OptionError("§barrier: invalid set " + std::to_string(t + 1) + " (the workload has " +
                              std::to_string(set_count) + (set_count == 1 ? " set)" : " sets)"));
        }
        barriers[t] = true;
    }
    return barriers;
}

}  // namespace

const Table<BarrierWord>& barrier_words() {
    static const Table<BarrierWord> kWords({"choice of barriers", "choices (besides numbers of sets, as in 1,3)"},
                                           {{"none", "no barrier", true, false},
                                            {"sets", "a barrier before every set", false, true},
                                            {"both", "one simulation without barriers and one with them", true, true}});
    return kWords;
}

std::vector<std::size_t> parse_set_numbers(std::string_view text, const std::string& option) {
    const std::string field = "§" + option;
    std::vector<std::size_t> sets;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::int64_t number = parse_count(text.substr(at, end - at), kMostSets, {field, 0});
        if (number == 0) throw OptionError(field + ": invalid set 0 (sets are counted from 1)");
        sets.push_back(static_cast<std::size_t>(number - 1));
        at = end + 1;
    }
    std::ranges::sort(sets);
    const auto twice = std::ranges::adjacent_find(sets);
    if (twice != sets.end()) throw OptionError(field + ": duplicate set " + std::to_string(*twice + 1));
    return sets;
}

BarrierChoice parse_barrier_choice(std::string_view text) {
    if (const BarrierWord* word = barrier_words().find(text)) return {.without = word->without, .with = word->with};
    if (!text.empty() && text.find_first_not_of("0123456789,") == std::string_view::npos) {
        return {.without = false, .with = true, .sets = parse_set_numbers(text, "barrier")};
    }
    throw OptionError("§barrier: unknown value " + shown(text), barrier_words().hint_for(text));
}

std::string barrier_name(const SimulatedRun& run) {
    if (!run.has_barriers) return "none";
    if (run.barrier_sets.empty()) return "sets";
    std::string text;
    for (const std::size_t t : run.barrier_sets) text.append(text.empty() ? "" : ",").append(std::to_string(t + 1));
    return text;
}

SimulatedIterations parse_simulated_iterations(const std::string& text) {
    using Rule = SimulatedIterations::Rule;
    if (text == "auto") return {Rule::kAuto, 0};
    if (text == "all") return {Rule::kAll, 0};
    const std::int64_t count = parse_count(text, std::numeric_limits<std::int64_t>::max(), {"§sim-iterations", 0});
    if (count == 0)
        throw OptionError("§sim-iterations: invalid number 0 (at least 1)", "give a number from 1, auto or all");
    return {Rule::kCount, count};
}

ComputeImbalance parse_imbalance(const std::string& text, const std::string& option) {
    const std::string field = "§" + option;
    ComputeImbalance imbalance;
    if (!text.empty() && text.find_first_not_of("0123456789.") == std::string::npos) {
        throw OptionError(field + ": a unit is missing in " + shown(text),
                          "write " + text + "% or a time such as 20us");
    }
    if (!text.ends_with('%')) {
        imbalance.most_ps = parse_time_ps(text, {field, 0});
        if (imbalance.most_ps > kLongestSimulationPs) throw OptionError(field + ": at most 26 days");
        return imbalance;
    }
    // Converts to integer thousandths of a per cent, because integers are parsed in the same way on every computer.
    const std::string number = text.substr(0, text.size() - 1);
    const auto point = number.find('.');
    std::string decimals = point == std::string::npos ? "" : number.substr(point + 1);
    if (point == 0 || number.empty() || number.find_first_not_of("0123456789.") != std::string::npos)
        throw OptionError(field + ": expected a percentage, found " + shown(text), "write a percentage, as in 5%");
    if (number.substr(0, point).size() > 3) throw OptionError(field + ": at most 100%, found " + shown(text));
    if (decimals.size() > 3) throw OptionError(field + ": expected at most three decimals, found " + shown(text));
    decimals.resize(3, '0');
    constexpr std::int64_t kWhole = 100'000;
    const std::int64_t thousandths = parse_count(number.substr(0, point) + decimals, 10 * kWhole, {field, 0});
    if (thousandths > kWhole) throw OptionError(field + ": at most 100%, found " + shown(text));
    imbalance.share = static_cast<double>(thousandths) / static_cast<double>(kWhole);
    return imbalance;
}

ComputeImbalance parse_compute_spread(const std::string& text) {
    const std::string option = "compute-spread";
    const auto slash = text.find('/');
    ComputeImbalance spread = parse_imbalance(text.substr(0, slash), option);
    spread.varies = true;
    if (slash == std::string::npos) return spread;
    if (spread.share > 0) {
        throw OptionError(
            "§compute-spread: expected the length of an interruption, found " + shown(text.substr(0, slash)),
            "write two times, as in 50us/200ms");
    }
    spread.interval_ps = parse_time_ps(text.substr(slash + 1), {"§" + option, 0});
    if (spread.interval_ps < std::max(spread.most_ps, std::int64_t{1}) || spread.interval_ps > kLongestSimulationPs) {
        throw OptionError("§compute-spread: the interval " + shown(text.substr(slash + 1)) +
                              " must be at least as long as an interruption, and at most 26 days",
                          "write the length first, as in 50us/200ms");
    }
    return spread;
}

void check_imbalance(const ComputeImbalance& imbalance, const Workload& workload, const std::string& subject) {
    if (imbalance.share == 0) return;
    for (std::size_t t = 0; t < workload.set_count(); ++t) {
        if (workload.set(t).compute_seconds > 0) return;
    }
    throw OptionError(subject + " in per cent requires a workload with computation time",
                      "give a time, as in 20us, or use a workload with computation times");
}

const Table<TrafficFormRow>& traffic_forms() {
    static const Table<TrafficFormRow> kForms(
        {"form of traffic", "forms"},
        {{"auto", "the calls of a log if it has their order, else sets", TrafficForm::kAuto},
         {"sets", "the communication sets of the main loop", TrafficForm::kSets},
         {"calls", "the calls of a log in their order", TrafficForm::kCalls}});
    return kForms;
}

const Table<ComputingRow>& computing_rules() {
    using Rule = ReplayedComputing::Rule;
    static const Table<ComputingRow> kRules(
        {"rule of computation time", "rules"},
        {{"mean", "the mean computation time of each call site", Rule::kMean},
         {"drawn", "drawn between the smallest and the largest time of the call site", Rule::kDrawn},
         {"none", "no computation time", Rule::kNone}});
    return kRules;
}

namespace {

void refuse_options_of_calls(const Job& job, const SimulationOptions& options) {
    if (options.call_option.empty()) return;
    throw OptionError("§" + options.call_option + " requires the calls of a log, but communication sets are simulated",
                      job.is_of_log() ? "leave out §form sets; the calls of a log are simulated if it has their order"
                      : options.call_option == "collectives"
                          ? "give a log with the order of its calls instead of a workload file"
                          : "state the computation time in the workload file (compute_seconds)");
}

}  // namespace

bool replays_calls(const Job& job, const SimulationOptions& options, const Log& log) {
    if (options.form == TrafficForm::kSets || job.calls(log) == nullptr) {
        if (options.form != TrafficForm::kCalls) {
            refuse_options_of_calls(job, options);
            return false;
        }
        throw OptionError("§form calls requires a log that records the order of calls",
                          "use §form sets, or a log that records the order of calls");
    }
    const auto refuse = [](const char* option) {
        throw OptionError(std::string(option) + " requires communication sets, but the calls of the log are simulated",
                          "simulate the sets of its main loop with §form sets");
    };
    if (options.barriers.with) refuse("§barrier");
    if (options.iterations.rule != SimulatedIterations::Rule::kAuto) refuse("§sim-iterations");
    if (!options.imbalance.is_even()) refuse("§compute-spread");
    return true;
}

SimulationRequest machine_request(const Job& job, const Mapping& mapping, const SimulationOptions& options) {
    SimulationRequest request;
    request.network = &job.allocation().network;
    request.timing = packet_timing_of(job.machine());
    request.process = process_options_of(job.machine());
    request.node_of_rank.assign(mapping.node_of_rank().begin(), mapping.node_of_rank().end());
    request.threads = options.threads;
    request.partitions = options.partitions;
    request.most_loaded_links = options.most_loaded_links;
    request.observation = options.observation;
    return request;
}

std::vector<SimulatedRun> simulate_mapping(const Job& job, const Mapping& mapping, const SimulationOptions& options,
                                           const SimulationControl& control) {
    SimulationRequest request = machine_request(job, mapping, options);
    request.iterations = options.iterations;
    std::vector<SimulatedRun> runs;
    if (replays_calls(job, options, control.log)) {
        request.log = job.calls();
        request.calls = options.calls;
        runs.push_back({.result = simulate(request, control)});
        return runs;
    }
    request.workload = &job.workload();
    check_imbalance(options.imbalance, job.workload(), "a spread");
    request.replay.imbalance = options.imbalance;
    const BarrierChoice& choice = options.barriers;
    if (choice.without) {
        runs.push_back({.has_barriers = false, .result = simulate(request, control), .imbalance = options.imbalance});
    }
    const bool leaves_out = job.is_of_log();
    if (choice.without) runs.back().leaves_computing_out = leaves_out;
    if (!choice.with || (choice.without && runs.back().result.interrupted)) return runs;
    request.replay.barriers = barriers_of(choice, job.workload().set_count());
    runs.push_back({.has_barriers = true,
                    .barrier_sets = choice.sets,
                    .result = simulate(request, control),
                    .leaves_computing_out = leaves_out,
                    .imbalance = options.imbalance});
    return runs;
}

Simulation simulate(const Placement& placement, const SimulationOptions& options, const SimulationControl& control) {
    Simulation simulation{.placement = placement,
                          .runs = simulate_mapping(placement.job(), placement.mapping(), options, control)};
    simulation.interrupted = simulation.runs.back().result.interrupted;
    return simulation;
}

std::string buffer_warning(const Machine& machine) {
    const std::optional<BufferShortage> shortage = buffer_shortage_of(machine);
    if (!shortage) return "";
    constexpr double kGiga = 1e9;
    const double rate = static_cast<double>(shortage->link_bandwidth_bytes_per_s) / kGiga;
    const std::string cure =
        machine.router.buffer_packets
            ? fmt::format("use {} packets or more", shortage->packets_that_cover)
            : fmt::format("{} packets would suffice, more than haichi can simulate", shortage->packets_that_cover);
    return fmt::format(
        "{}: with buffers of {} packet{}, a virtual channel carries {:.3g} GB/s of its link's {:.3g} GB/s{}; {} "
        "('router.buffer')",
        machine.name, shortage->buffer_packets, shortage->buffer_packets == 1 ? "" : "s", shortage->share * rate, rate,
        machine.topology->link_classes().size() > 1 ? " (" + shortage->links + ")" : "", cure);
}

void check_simulation(const Job& job, const SimulationOptions& options) {
    const StopFlag stop(true);
    (void)simulate_mapping(job, job.default_placement(), options, {{}, &stop});
}

}  // namespace haichi
