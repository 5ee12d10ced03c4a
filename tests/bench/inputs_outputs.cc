#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "commlog/readers/readers.h"
#include "commlog/workload/patterns.h"
#include "commlog/workload/workload_json.h"
#include "mapper/rankmap/rankmap.h"
#include "mapper/start/start.h"
#include "netmodel/machine/allocation.h"
#include "tests/bench/bench_job.h"

namespace haichi::bench {

namespace {

/// 32,768 ranks, 190,464 messages.
Workload halo_workload() {
    PatternOptions options;
    options.dims = {32, 32, 32};
    return make_pattern("stencil3d", options);
}

/// One item is one message.
void read_json(benchmark::State& state) {
    std::string text;
    write_workload_json(halo_workload(), [&](std::string_view piece) { text += piece; });
    std::int64_t messages = 0;
    for (auto _ : state) {
        const Workload workload = read_workload_json(text, "bench.json");
        messages += static_cast<std::int64_t>(workload.messages().size());
        benchmark::DoNotOptimize(workload);
    }
    state.SetItemsProcessed(messages);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

/// The same messages as an edge list of one set.
void read_edges(benchmark::State& state) {
    const Workload halo = halo_workload();
    std::string text;
    for (const Message& m : halo.messages()) {
        text += std::to_string(m.source.value) + ' ' + std::to_string(m.destination.value) + ' ' +
                std::to_string(m.size_bytes) + '\n';
    }
    std::int64_t messages = 0;
    for (auto _ : state) {
        const Workload workload = parse_workload(text, "bench.txt");
        messages += static_cast<std::int64_t>(workload.messages().size());
        benchmark::DoNotOptimize(workload);
    }
    state.SetItemsProcessed(messages);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

/// All of Fugaku, one rank per node; one item is one rank.
void write_map(benchmark::State& state, const RankMapFormat& format) {
    const Allocation allocation = allocate(load_machine("fugaku"), {});
    const Mapping mapping = default_placement(allocation.node_count(), allocation);
    const HostNames hosts = HostNames::parse_pattern("node%06d", allocation.node_count());
    const RankMapContext context{&allocation, mapping.rank_count(), &hosts};
    try {
        format.check(context);
    } catch (const UnsupportedError& error) {
        state.SkipWithError(error.what());
        return;
    }
    std::int64_t bytes = 0;
    for (auto _ : state) {
        const std::string text = format.write(mapping, context);
        bytes += static_cast<std::int64_t>(text.size());
        benchmark::DoNotOptimize(text.data());
    }
    state.SetItemsProcessed(state.iterations() * mapping.rank_count());
    state.SetBytesProcessed(bytes);
}

}  // namespace

void register_inputs_outputs() {
    benchmark::RegisterBenchmark("read_workload_json/ranks:32768", read_json)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("read_edge_list/ranks:32768", read_edges)->Unit(benchmark::kMillisecond);
    for (const RankMapFormat& format : rank_map_formats()) {
        benchmark::RegisterBenchmark(("write_rank_map/" + format.name + "/ranks:158976").c_str(),
                                     [&format](benchmark::State& state) { write_map(state, format); })
            ->Unit(benchmark::kMillisecond);
    }
}

}  // namespace haichi::bench
