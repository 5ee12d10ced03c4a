// A hostile machine and a hostile trace in a complete run: routes, virtual channel layers, packet engine, replay.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/stop_flag.h"
#include "commlog/log/job_log.h"
#include "commlog/traces/trace_readers.h"
#include "mgen/replay/simulation.h"
#include "netmodel/machine/allocation.h"
#include "netmodel/packetsim/machine_timing.h"
#include "tests/fuzz/readers.h"

namespace haichi {

namespace {

// Beyond these limits, routes and packets would consume the time without testing more hostile input.
constexpr std::int64_t kMostNodes = 300;
constexpr std::int64_t kMostHops = 200'000;
constexpr std::string_view kSeparator = "\n----\n";

/// The text before the separator; `rest` becomes the text after it, or nullopt if there is no separator.
std::optional<std::string_view> take_section(std::optional<std::string_view>& rest) {
    if (!rest) return std::nullopt;
    const std::string_view text = *rest;
    const auto end = text.find(kSeparator);
    rest = end == std::string_view::npos ? std::nullopt : std::optional(text.substr(end + kSeparator.size()));
    return text.substr(0, end);
}

/// How the trace is placed and simulated, as words: "partitions=3 ppn=2 stride=5 routing=dor:XY alltoall=pairwise".
/// Other keys than the first four name a collective operation and its algorithm.
struct Setting {
    std::int32_t partitions = 1;
    std::int32_t stride = 1;  ///< between the nodes of consecutive ranks
    AllocationRequest allocation{};
    collectives::CollectiveSelection algorithms{};
};

Setting parse_setting(std::string_view words) {
    Setting setting;
    const auto number = [](std::string_view text) {
        std::int32_t value = 0;
        for (const char c : text.substr(0, 3)) value = c >= '0' && c <= '9' ? value * 10 + (c - '0') : value;
        return std::clamp(value, 1, 256);
    };
    while (!words.empty()) {
        const auto end = std::min(words.find_first_of(" \n"), words.size());
        const std::string_view word = words.substr(0, end);
        words.remove_prefix(std::min(end + 1, words.size()));
        const std::string_view value = word.substr(std::min(word.find('=') + 1, word.size()));
        if (word.starts_with("partitions=")) {
            setting.partitions = number(value);
        } else if (word.starts_with("ppn=")) {
            setting.allocation.ranks_per_node = number(value);
        } else if (word.starts_with("stride=")) {
            setting.stride = number(value);
        } else if (word.starts_with("routing=")) {
            setting.allocation.routing = std::string(value);
        } else if (word.find('=') != std::string_view::npos) {  // other words name files
            setting.algorithms.set(std::string(word));
        }
    }
    return setting;
}

SimulationResult simulate_a_while(const SimulationRequest& request) {
    StopFlag stop;
    SimulationControl control;
    control.stop = &stop;
    control.progress = [&](const SimulationProgress& progress) { stop = progress.packet_hops > kMostHops; };
    return simulate(request, control);
}

bool same(const SimulationResult& a, const SimulationResult& b) {
    const auto same_links = [](const LinkTraffic& x, const LinkTraffic& y) {
        return x.link == y.link && x.node == y.node && x.bytes == y.bytes;
    };
    return a.seconds == b.seconds && a.calls == b.calls && a.packets == b.packets && a.packet_hops == b.packet_hops &&
           a.payload_bytes == b.payload_bytes &&
           std::ranges::equal(a.most_loaded_links, b.most_loaded_links, same_links);
}

}  // namespace

/// Sections separated by lines of four dashes; the first two are required. They are a machine file, a trace (SimGrid or
/// schedule), the words of a Setting, and the machine's graph file. A simulation cut into partitions must give the same
/// result as in one piece.
void fuzz_simulated_job(std::string_view text) {
    std::optional<std::string_view> rest = text;
    const auto machine_text = take_section(rest);
    const auto trace = take_section(rest);
    if (!trace) return;
    const Setting setting = parse_setting(take_section(rest).value_or(""));
    NamedFile graph{.text = std::string(rest.value_or(""))};
    const Machine machine = parse_machine(*machine_text, "/nonexistent/fuzzed.json", &graph);
    if (machine.size_is_open || terminal_count(machine) > kMostNodes) return;
    const JobLog log = trace->starts_with("num_ranks") ? parse_goal(*trace, "fuzzed") : parse_tit(*trace, "fuzzed");
    const Allocation allocation = allocate(machine, setting.allocation);
    std::vector<NodeId> usable;
    for (NodeId node(0); node.value < allocation.node_count(); ++node.value) {
        if (allocation.network.is_usable(node)) usable.push_back(node);
    }
    if (log.rank_count > std::ssize(usable) * allocation.ranks_per_node) return;

    SimulationRequest request;
    request.log = &log;
    request.network = &allocation.network;
    request.timing = packet_timing_of(machine);
    request.process = process_options_of(machine);
    request.calls.algorithms = setting.algorithms;
    for (std::int32_t rank = 0; rank < log.rank_count; ++rank) {
        const auto place = static_cast<std::size_t>(rank / allocation.ranks_per_node * setting.stride);
        request.node_of_rank.push_back(usable[place % usable.size()]);
    }
    request.partitions = 1;
    const SimulationResult whole = simulate_a_while(request);
    if (setting.partitions == 1 || whole.interrupted) return;
    request.partitions = setting.partitions;
    const SimulationResult cut = simulate_a_while(request);
    if (!cut.interrupted && !same(whole, cut)) {
        std::fprintf(stderr, "%d partitions give another result\n", setting.partitions);
        std::abort();
    }
}

}  // namespace haichi
