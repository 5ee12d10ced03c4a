#include "objectives/problem_log.h"

#include <string_view>

#include "objectives/link_counts.h"
#include "objectives/sliced_collisions.h"

namespace haichi {

namespace {

constexpr std::size_t kBytesPerMiB = std::size_t{1} << 20;

/// Describes how HopDistance finds the hops of a pair of nodes.
std::string_view way_to_hops(HopDistance::Path path) {
    switch (path) {
        case HopDistance::Path::kTable8:
            return "in a table of 1 byte per pair";
        case HopDistance::Path::kTable16:
            return "in a table of 2 bytes per pair";
        case HopDistance::Path::kPacked4:
        case HopDistance::Path::kPacked8:
            return "from packed coordinates";
        case HopDistance::Path::kDigits:
            return "from the digits of tree positions";
        case HopDistance::Path::kNetwork:
            break;
    }
    return "from the network, pair by pair";
}

void log_hops(const Problem& problem, const Log& log) {
    const auto nodes = static_cast<std::size_t>(problem.node_count());
    const HopDistance::Path path = problem.hop_distance().path();
    if (path == HopDistance::Path::kTable8 || path == HopDistance::Path::kTable16) {
        log.debug("hops between {} nodes: {}", nodes, way_to_hops(path));
    } else {
        const HopDistanceOptions budgets;
        log.info("hops between {} nodes: {}, because a table would take {} bytes (at most {})", nodes,
                 way_to_hops(path), nodes * nodes,
                 problem.network().hops_are_walked() ? budgets.walked_table_budget_bytes : budgets.table_budget_bytes);
    }
}

void log_routes(const Problem& problem, const Log& log) {
    const std::int64_t nodes = problem.node_count();
    const RouteTable& routes = problem.route_table();
    if (routes.is_stored()) {
        log.debug("routes of {} nodes: in a table of {} bytes", nodes, routes.memory_bytes());
    } else {
        log.info("routes of {} nodes: computed on demand, because a table would take more than {} MiB", nodes,
                 RouteTable::kDefaultBudgetBytes / kBytesPerMiB);
    }
    const std::size_t row_bytes = RouteRows::needed_bytes(problem.network());
    if (problem.route_rows().is_stored()) {
        log.debug("routes as rows of bits: {} bytes", row_bytes);
    } else {
        log.info("routes as rows of bits: not stored ({} bytes, at most {}; {} links, at most {} per row)", row_bytes,
                 RouteRows::kDefaultBudgetBytes, problem.network().existing_link_count(),
                 RouteRows::kMostBlocks * BitBlock::kBits);
    }
}

void log_counters(const Problem& problem, const Log& log) {
    if (SlicedCollisions::suits(problem, Counted::kPerSet)) {
        log.info("messages on links: bit-sliced counters, {} kernel", name_of(problem.slice_kernel()));
        return;
    }
    const std::size_t bytes = problem.set_count() * static_cast<std::size_t>(problem.network().link_count());
    const bool is_dense = bytes <= LinkCounts::kDenseBudgetBytes;
    log.info("messages on links: one counter per set and link, {} bytes in {}", bytes,
             is_dense ? "an array" : "a hash table, because an array would exceed 128 MiB");
}

}  // namespace

void log_tables(const Problem& problem, const Log& log) {
    if (!log.enabled(LogLevel::kInfo)) return;
    log_hops(problem, log);
    log_routes(problem, log);
    log_counters(problem, log);
}

}  // namespace haichi
