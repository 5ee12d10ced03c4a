#include <benchmark/benchmark.h>

#include "tests/bench/bench_job.h"

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
#ifdef NDEBUG
    benchmark::AddCustomContext("haichi_assertions", "off");
#else
    benchmark::AddCustomContext("haichi_assertions", "on: build with the preset release to measure");
#endif
    const auto jobs = haichi::bench::sized_jobs();
    haichi::bench::register_annealing(jobs, haichi::bench::large_jobs());
    haichi::bench::register_tables(jobs, haichi::bench::shuffled_stencil_job());
    haichi::bench::register_inputs_outputs();
    haichi::bench::register_packets();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
