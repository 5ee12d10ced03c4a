// MPICH_RANK_ORDER of Cray's MPI (MPICH_RANK_REORDER_METHOD=3): the ranks in placement order, separated by commas. Each
// node takes as many entries as it has ranks: the first node takes the first entries, and so on. "4-7" and "7-4" are
// ranges.

#include <cstdlib>

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

[[noreturn]] void refuse_idle(const std::string& why) {
    throw UnsupportedError(
        "the format cray cannot express this map: " + why + ", but the order fills one node after another",
        "use a §shape that the ranks fill; only the last node may have empty rank slots");
}

void check_ranks(std::int64_t ranks, const Allocation& job) {
    if (!job.slots_of_node.empty()) {
        throw UnsupportedError("the format cray requires the same number of rank slots on all nodes",
                               "use the format slurm, or state one number with §ppn");
    }
    if (ranks > job.slot_count() - job.ranks_per_node) return;
    refuse_idle("the " + std::to_string(ranks) + " ranks fill fewer than " + std::to_string(job.node_count()) +
                " nodes");
}

void check_cray(const RankMapContext& context) {
    if (context.rank_count > 0) check_ranks(context.rank_count, *context.allocation);
}

/// Writes one line per node for readability. If nodes have one rank, all ranks are in one line, because lines without a
/// comma could be taken for another format.
std::string write_cray(const Mapping& mapping, const RankMapContext& context) {
    check_ranks(mapping.rank_count(), *context.allocation);
    const bool node_per_line = mapping.ranks_per_node() > 1;
    std::string text;
    for (std::int32_t s = 0; s < mapping.slot_count(); ++s) {
        const RankId rank = mapping.rank(SlotId(s));
        if (s >= mapping.rank_count()) {
            if (!rank.valid()) continue;
            refuse_idle("rank " + std::to_string(rank.value) + " follows an empty rank slot");
        }
        if (!rank.valid()) {
            const NodeId node = mapping.node_of_slot(SlotId(s));
            refuse_idle("node " + context.allocation->network.node_name(node) + " has an empty rank slot");
        }
        if (s > 0) text += node_per_line && s % mapping.ranks_per_node() == 0 ? '\n' : ',';
        append_number(text, rank.value);
    }
    return text + "\n";
}

/// Assigns positions to the ranks in the order of the file.
class OrderReader {
  public:
    OrderReader(const std::string& file, const RankMapContext& context)
        : ranks_(file, context), per_node_(context.allocation->ranks_per_node) {}

    /// Accepts "3", "0-3" or "3-0".
    void add(std::string_view entry, const SourcePlace& place) {
        const auto dash = entry.find('-');
        const std::int64_t first = parse_count(entry.substr(0, dash), ranks_.largest_rank(), place);
        const std::int64_t last =
            dash == std::string_view::npos ? first : parse_count(entry.substr(dash + 1), ranks_.largest_rank(), place);
        const std::int64_t step = first <= last ? 1 : -1;
        for (std::int64_t i = 0; i <= std::abs(last - first); ++i) {
            // Ranks are distinct and below the number of slots, so positions are, too.
            ranks_.add(first + i * step, NodeId(static_cast<std::int32_t>(position_ / per_node_)),
                       static_cast<std::int32_t>(position_ % per_node_), place);
            ++position_;
        }
    }
    void skip() { ranks_.skip(); }
    PlacedRanks take(const RankMapContext& context) { return ranks_.take(context, "position"); }

  private:
    NumberedRanks ranks_;
    std::int64_t position_ = 0;
    std::int32_t per_node_ = 1;
};

void read_line(std::string_view line, OrderReader& order, const SourcePlace& place) {
    while (true) {
        const auto comma = line.find(',');
        std::string_view entry = line.substr(0, comma);
        entry.remove_prefix(std::min(entry.find_first_not_of(kBlanks), entry.size()));
        entry = entry.substr(0, entry.find_last_not_of(kBlanks) + 1);
        const bool is_last = comma == std::string_view::npos;
        if (!entry.empty()) {
            order.add(entry, place);
        } else if (!is_last) {  // a line may end with a comma
            throw InputError(place, "expected a rank before the comma in " + shown(line));
        }
        if (is_last) return;
        line.remove_prefix(comma + 1);
    }
}

PlacedRanks read_cray(std::string_view text, const std::string& file, const RankMapContext& context) {
    OrderReader order(file, context);
    for (TextLines lines(text, file); lines.next();) {
        const SourcePlace place{file, lines.number()};
        if (lines.words(" \t\r").empty()) continue;
        const bool is_read = read_or_note(context, MapRule::kRecords, [&] { read_line(lines.text(), order, place); });
        if (!is_read) order.skip();
    }
    return order.take(context);
}

constexpr std::size_t kLongestVector = 1023;  // a buffer of 1,024 bytes, including a NUL

std::string warning(const Mapping& mapping, const RankMapContext&) {
    const std::size_t length = pmi_vector(mapping).size();
    if (length <= kLongestVector) return "";
    return "the library encodes this order in " + std::to_string(length) +
           " bytes; cray-mpich 9.1.0 is known to abort in MPI_Init beyond " + std::to_string(kLongestVector) +
           "\nhint: write the format slurm, and start the program with srun --distribution=arbitrary";
}

std::string launch_cray(const Mapping& mapping, const RankMapContext& context, const std::string& file) {
    const JobSize size = size_of(mapping);
    const std::string ranks = std::to_string(size.ranks);
    const std::string per_node = std::to_string(size.ranks_per_node);
    return "export MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=" + shell_word(file) +
           "\nsrun --nodes=" + std::to_string(size.nodes) + " --ntasks=" + ranks + " --ntasks-per-node=" + per_node +
           cores_option(context, "--cpus-per-task=") + " --distribution=block ./app\n# with PALS: mpiexec -n " + ranks +
           " --ppn " + per_node + cores_option(context, "--cpu-bind depth --depth ") + " ./app\n";
}

}  // namespace

RankMapFormat cray_format() {
    return {"cray",
            "Cray MPICH, MPICH_RANK_REORDER_METHOD=3 with the file MPICH_RANK_ORDER: the ranks in placement order, "
            "separated by commas, one node after another",
            check_cray,
            [](const MapShape& shape, const RankMapContext& context) {
                return likely_if(shape.is_list && !behind_host(shape, context));
            },
            write_cray,
            read_cray,
            warning,
            launch_cray};
}

}  // namespace haichi
