// Files with a host per line in rank order: Slurm's SLURM_HOSTFILE, the host and machine files of Hydra (MPICH) and
// Intel MPI, SimGrid's smpirun. They differ in the syntax of several ranks on a host, comments and options.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

struct HostLines {
    const char* format;
    char count_sign;    ///< separates host and count, as in "host:4"
    bool writes_count;  ///< always, also for one rank
    bool has_comments;
    bool has_lists;    ///< "a,b" and "node[1-3]" in one line
    bool has_options;  ///< "binding=..." and "user=..." after the host
};
constexpr HostLines kSlurm = {"slurm", '*', false, true, true, false};
constexpr HostLines kHydra = {"hydra", ':', true, true, false, true};
constexpr HostLines kIntel = {"intel", ':', true, true, false, true};
constexpr HostLines kSimgrid = {"simgrid", ':', false, false, false, false};

std::string write_host_lines(const HostLines& kind, const Mapping& mapping, const RankMapContext& context) {
    require_hosts(context, kind.format);
    std::string text;
    for (const NodeId node : mapping.node_of_rank()) {
        text += context.hosts->name(node);
        if (kind.writes_count) {
            text += kind.count_sign;
            text += '1';
        }
        text += '\n';
    }
    return text;
}

/// The placements of one line: (node, number of ranks), in order.
using HostCounts = std::vector<std::pair<NodeId, std::int64_t>>;

/// Reads "host" or "host:4". For Slurm the host may be a list with ranges of at most `most` names.
void read_host(const HostLines& kind, std::string_view word, std::int64_t most, const RankMapContext& context,
               const SourcePlace& place, HostCounts& placed) {
    const auto sign = word.find(kind.count_sign);
    const std::string_view host = word.substr(0, sign);
    const std::int64_t count =
        sign == std::string_view::npos ? 1 : parse_count(word.substr(sign + 1), INT32_MAX, place);
    if (count == 0) throw InputError(place, shown(word) + " places no rank");
    if (!kind.has_lists) {
        placed.emplace_back(node_of_host(context, host, place), count);
        return;
    }
    for (const std::string& name : expand_host_list(host, most, place)) {
        placed.emplace_back(node_of_host(context, name, place), count);
    }
}

void check_options(const HostLines& kind, const std::vector<std::string_view>& words, const SourcePlace& place) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (kind.has_options && (words[i].starts_with("binding=") || words[i].starts_with("user="))) continue;
        throw InputError(place, "expected " + std::string(kind.writes_count ? "host:count" : "one host") +
                                    " on a line, found also " + shown(words[i]));
    }
}

PlacedRanks read_host_lines(const HostLines& kind, std::string_view text, const std::string& file,
                            const RankMapContext& context) {
    require_hosts(context, kind.format);
    RankCollector ranks(file, context, "rank");
    for (TextLines lines(text, file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        const SourcePlace place{file, lines.number()};
        HostCounts placed;
        const bool is_read = read_or_note(context, MapRule::kRecords, [&] {
            if (lines.has_comment() && !kind.has_comments) {
                throw InputError(place, "comments are not allowed in a " + std::string(kind.format) + " host file");
            }
            if (words.empty()) return;
            check_options(kind, words, place);
            if (!kind.has_lists) return read_host(kind, words[0], 1, context, place, placed);
            for (std::string_view rest = words[0]; !rest.empty();) {
                // At least one, so that an excessive list is counted.
                const std::int64_t most = std::max<std::int64_t>(ranks.room() - std::ssize(placed), 1);
                read_host(kind, next_host_entry(rest), most, context, place, placed);
            }
        });
        if (!is_read) placed = {{NodeId(), 1}};
        for (const auto& [node, count] : placed) ranks.add(node, place.line, count);
    }
    return ranks.take(context, "list the hosts in rank order, once for every rank or with a count");
}

template <const HostLines& kKind>
RankMapFormat row(std::string sentence) {
    return {
        kKind.format,
        std::move(sentence),
        [](const RankMapContext& context) { require_hosts(context, kKind.format); },
        nullptr,
        [](const Mapping& mapping, const RankMapContext& context) { return write_host_lines(kKind, mapping, context); },
        [](std::string_view text, const std::string& file, const RankMapContext& context) {
            return read_host_lines(kKind, text, file, context);
        }};
}

}  // namespace

RankMapFormat slurm_format() {
    RankMapFormat slurm =
        row<kSlurm>("Slurm, SLURM_HOSTFILE with srun -m arbitrary: one host name per rank; requires host names");
    slurm.recognise = [](const MapShape& shape, const RankMapContext& context) {
        const auto behind = behind_host(shape, context);
        return likely_if(behind && !behind->starts_with(':'));
    };
    return slurm;
}

RankMapFormat hydra_format() {
    RankMapFormat hydra =
        row<kHydra>("MPICH's Hydra, mpiexec -f F: host:1 per rank, in rank order; requires host names");
    hydra.recognise = [](const MapShape& shape, const RankMapContext& context) {
        const auto behind = behind_host(shape, context);
        return likely_if(behind && behind->starts_with(':'));
    };
    return hydra;
}

RankMapFormat intel_format() {
    return row<kIntel>("Intel MPI, mpirun -machinefile F: host:1 per rank, in rank order; requires host names");
}

RankMapFormat simgrid_format() {
    return row<kSimgrid>("SimGrid, smpirun -hostfile F: one host per line, in rank order; requires host names");
}

}  // namespace haichi
