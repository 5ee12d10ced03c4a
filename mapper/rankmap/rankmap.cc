#include "mapper/rankmap/rankmap.h"

#include <algorithm>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestMapBytes = std::size_t{512} << 20;

/// The number of ranks on the fullest node.
std::int32_t check_capacity(const PlacedRanks& placed, const std::string& file, const RankMapContext& context) {
    const Allocation& allocation = *context.allocation;
    std::vector<std::int32_t> used(static_cast<std::size_t>(allocation.node_count()), 0);
    for (std::size_t r = 0; r < placed.node_of_rank.size(); ++r) {
        const NodeId node = placed.node_of_rank[r];
        if (!node.valid()) continue;
        const bool fits = ++used[node.index()] <= allocation.slots(node);
        const bool is_faulty = !allocation.network.is_usable(node);
        if (fits && !is_faulty) continue;
        read_or_note(context, MapRule::kCapacity, [&] {
            const SourcePlace place{file, placed.line_of_rank[r]};
            const std::string rank = "rank " + std::to_string(r);
            const std::string name = allocation.network.node_name(node);
            if (is_faulty) throw InputError(place, rank + " is on node " + name + ", which is faulty");
            throw InputError(
                place,
                rank + " does not fit on node " + name + " (at most " + std::to_string(allocation.slots(node)) + ")",
                context.holds_groups ? "allow a larger §imbalance" : "set the ranks per node with §ppn");
        });
    }
    return used.empty() ? 0 : std::ranges::max(used);
}

Mapping mapping_of(const PlacedRanks& placed, const Allocation& allocation) {
    const std::int32_t per_node = allocation.ranks_per_node;
    if (placed.place_of_rank.empty()) {
        return Mapping::from_nodes(placed.node_of_rank, allocation.node_count(), per_node);
    }
    Mapping mapping(static_cast<std::int32_t>(placed.node_of_rank.size()), allocation.node_count(), per_node);
    for (std::size_t r = 0; r < placed.node_of_rank.size(); ++r) {
        mapping.place(RankId(static_cast<std::int32_t>(r)),
                      SlotId(placed.node_of_rank[r].value * per_node + placed.place_of_rank[r]));
    }
    return mapping;
}

}  // namespace

const Table<RankMapFormat>& rank_map_formats() {
    static const Table<RankMapFormat> kFormats(
        {"rank-map format", "formats"},
        {fujitsu_format(), tofu6d_format(), nsim_format(), bgq_format(), bgl_format(), cray_format(), openmpi_format(),
         slurm_format(), hydra_format(), intel_format(), pals_format(), flux_format(), pmi_format(), erf_format(),
         lsf_format(), simgrid_format(), csv_format(), partition_format(), json_format()});
    return kFormats;
}

void check_rank_map_format(const RankMapFormat& format, const RankMapContext& context) {
    if (context.holds_groups && !format.describes_groups) {
        std::vector<std::string> names;
        for (const RankMapFormat& row : rank_map_formats()) {
            if (row.describes_groups) names.push_back(row.name);
        }
        throw UnsupportedError("the format " + format.name + " describes ranks in slots, not groups of ranks on nodes",
                               "use the format " + joined(names));
    }
    format.check(context);
}

const RankMapFormat& default_rank_map_format(const RankMapContext& context) {
    const RankMapFormat& fujitsu = rank_map_format("fujitsu");
    try {
        check_rank_map_format(fujitsu, context);
        return fujitsu;
    } catch (const UnsupportedError&) {
        return rank_map_format("json");
    }
}

const RankMapFormat& format_for_launcher(const RankMapFormat& launcher, const RankMapContext& context) {
    if (launcher.launch == nullptr) {
        throw OptionError("no launcher reads the format " + launcher.name, "haichi list formats names the launchers");
    }
    return launcher.takes_names_of_job && context.hosts == nullptr ? rank_map_format("csv") : launcher;
}

std::string launch_lines(const RankMapFormat& launcher, const Mapping& mapping, const RankMapContext& context,
                         const std::string& file) {
    return launcher.launch == nullptr ? "" : launcher.launch(mapping, context, file);
}

Mapping read_rank_map(const std::string& path, const std::string& format, const RankMapContext& context) {
    if (!format.empty()) (void)rank_map_format(format);  // a wrong name is an error without the file
    return parse_rank_map(read_file(path, kLargestMapBytes), path, format, context);
}

Mapping parse_rank_map(std::string_view text, const std::string& file, const std::string& format,
                       const RankMapContext& context) {
    const RankMapFormat& reader = rank_map_format(format.empty() ? recognise_rank_map(text, file, context) : format);
    if (context.holds_groups) check_rank_map_format(reader, context);
    const PlacedRanks placed = reader.read(text, file, context);
    check_capacity(placed, file, context);
    return mapping_of(placed, *context.allocation);
}

MapFindings examine_rank_map(std::string_view text, const std::string& file, const std::string& format,
                             RankMapContext context) {
    MapFindings found;
    context.problems = &found.problems;
    read_or_note(context, MapRule::kRecords, [&] {
        RankMapContext plain = context;
        plain.problems = nullptr;
        found.format = format.empty() ? recognise_rank_map(text, file, plain) : format;
        const PlacedRanks placed = rank_map_format(found.format).read(text, file, context);
        found.rank_count = static_cast<std::int64_t>(placed.node_of_rank.size());
        found.most_ranks_on_a_node = check_capacity(placed, file, context);
    });
    return found;
}

}  // namespace haichi
