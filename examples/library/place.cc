// Places the ranks of the NAS kernel CG on a torus and writes a rank map.
#include <haichi/haichi.h>

#include <iostream>

int main() {
    const auto workload = haichi::Workload::pattern("cg", {.ranks = 64});
    const haichi::Job job({.machine = "torus:4x4x4", .workload = workload});
    const haichi::Placement placement = haichi::map(job, {.objective = "hop-bytes", .seed = 7});
    const haichi::Evaluation evaluation = haichi::evaluate(placement, "hop-bytes");
    std::cout << evaluation.default_placement.value << " -> " << evaluation.asked.value << " byte-hops\n";
    placement.write("ranks.json", "json");
}
