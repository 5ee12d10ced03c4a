// Files with a host per line in rank order, for Slurm, Hydra (MPICH), Intel MPI, PALS, LSF and SimGrid. They differ in
// the syntax of several ranks on a host, comments, options and launchers.

#include "base/quantity.h"
#include "mapper/rankmap/formats.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

/// Lists the nodes of the running job, one per line, each once.
constexpr const char* kNodesOfSlurm = "scontrol show hostnames \"$SLURM_JOB_NODELIST\"";
constexpr const char* kNodesOfPbs = "awk '!seen[$1]++' \"$PBS_NODEFILE\"";
constexpr const char* kNodesOfLsf = "awk '!seen[$1]++' \"$LSB_DJOB_HOSTFILE\"";

using LaunchLine = std::string (*)(const JobSize& size, const RankMapContext& context, const std::string& file);

struct HostLines {
    const char* format;
    char count_sign;    ///< separates host and count, as in "host:4"
    bool writes_count;  ///< whether the count is written even if it is 1
    bool has_comments;
    bool has_lists;     ///< whether a line may be a list: "a,b" or "node[1-3]"
    bool has_options;   ///< "binding=..." and "user=..." after the host
    bool has_cores;     ///< whether a list of cores follows the host, then up to two words about memory
    const char* nodes;  ///< the command that lists the nodes of the running job, or null
    LaunchLine launch;
};

std::string launch_slurm(const JobSize& size, const RankMapContext& context, const std::string& file) {
    return "SLURM_HOSTFILE=" + file + " srun --nodes=" + std::to_string(size.nodes) +
           " --ntasks=" + std::to_string(size.ranks) + cores_option(context, "--cpus-per-task=") +
           " --distribution=arbitrary ./app\n";
}

/// Slurm's launcher starts one proxy per node in the order of the allocation. The lines of the file are in rank order,
/// and may repeat nodes.
std::string launch_hydra(const JobSize& size, const RankMapContext& context, const std::string& file) {
    return "mpiexec -launcher ssh" + cores_option(context, "-bind-to core:") + " -n " + std::to_string(size.ranks) +
           " -f " + file + " ./app\n";
}

std::string launch_intel(const JobSize& size, const RankMapContext& context, const std::string& file) {
    return "export I_MPI_JOB_RESPECT_PROCESS_PLACEMENT=disable" + cores_option(context, "I_MPI_PIN_DOMAIN=") +
           "\nmpirun -bootstrap ssh -n " + std::to_string(size.ranks) + " -machinefile " + file + " ./app\n";
}

std::string launch_pals(const JobSize& size, const RankMapContext& context, const std::string& file) {
    return "mpiexec -n " + std::to_string(size.ranks) + " --ppn 1" +
           cores_option(context, "--cpu-bind depth --depth ") + " --hostfile " + file + " ./app\n";
}

std::string launch_lsf(const JobSize& size, const RankMapContext&, const std::string& file) {
    return "LSB_AFFINITY_HOSTFILE=" + file + " mpirun -n " + std::to_string(size.ranks) + " ./app\n";
}

std::string launch_simgrid(const JobSize& size, const RankMapContext&, const std::string& file) {
    return "smpirun -np " + std::to_string(size.ranks) + " -platform platform.xml -hostfile " + file + " ./app\n";
}

constexpr HostLines kSlurm = {"slurm", '*', false, true, true, false, false, kNodesOfSlurm, launch_slurm};
constexpr HostLines kHydra = {"hydra", ':', true, true, false, true, false, kNodesOfSlurm, launch_hydra};
constexpr HostLines kIntel = {"intel", ':', true, true, false, true, false, kNodesOfSlurm, launch_intel};
constexpr HostLines kPals = {"pals", ':', false, true, false, false, false, kNodesOfPbs, launch_pals};
constexpr HostLines kLsf = {"lsf", ':', false, false, false, false, true, kNodesOfLsf, launch_lsf};
constexpr HostLines kSimgrid = {"simgrid", ':', false, false, false, false, false, nullptr, launch_simgrid};

/// Script lines that convert `map`, a map in the format csv, to `file` with the node names of the running job.
std::string name_nodes(const HostLines& kind, const RankMapContext& context, const std::string& map,
                       const std::string& file) {
    std::string record = "print name[$2]";
    if (kind.writes_count) record += std::string(" \"") + kind.count_sign + "1\"";
    if (kind.has_cores) {
        const std::string cores = std::to_string(std::max(context.cores_per_rank, 1));
        record = "c = \"\"; n = used[$2]++ * " + cores + "; for (i = 0; i < " + cores +
                 "; i++) c = c (i ? \",\" : \" \") n + i; print name[$2] c";
    }
    return std::string(kind.nodes) + " |\n  awk -F, 'NR == FNR { name[NR - 1] = $1; next } FNR > 1 { " + record +
           " }' - " + map + " > " + file + "\n";
}

/// The directives that request the nodes, for a job that is not yet submitted.
std::string request_of(const HostLines& kind, const JobSize& size, const RankMapContext& context) {
    if (kind.nodes != kNodesOfSlurm) return "";
    const std::string& option = "#SBATCH --";
    return option + "nodes=" + std::to_string(context.allocation->node_count()) + "\n" + option +
           "ntasks=" + std::to_string(size.ranks) + "\n" + option +
           "ntasks-per-node=" + std::to_string(size.ranks_per_node) + "\n" +
           (context.cores_per_rank == 0 ? ""
                                        : option + "cpus-per-task=" + std::to_string(context.cores_per_rank) + "\n");
}

std::string launch_host_lines(const HostLines& kind, const Mapping& mapping, const RankMapContext& context,
                              const std::string& map) {
    const JobSize size = size_of(mapping);
    const std::string file = shell_word(map);
    if (context.hosts != nullptr) return kind.launch(size, context, file);
    if (kind.nodes == nullptr) require_hosts(context, kind.format);
    const std::string named = shell_word(map + ".hosts");
    // awk takes NAME=VALUE for an assignment, and a leading "-" for an option.
    const bool is_of_awk = map.starts_with('-') || map.find('=') < map.find('/');
    const std::string read = is_of_awk ? shell_word("./" + map) : file;
    return request_of(kind, size, context) + "# " + file + " is the rank map in the format csv\n" +
           name_nodes(kind, context, read, named) + kind.launch(size, context, named);
}

std::string write_host_lines(const HostLines& kind, const Mapping& mapping, const RankMapContext& context) {
    require_hosts(context, kind.format);
    std::string text;
    for (std::int32_t r = 0; r < mapping.rank_count(); ++r) {
        text += context.hosts->name(mapping.node(RankId(r)));
        if (kind.writes_count) {
            text += kind.count_sign;
            text += '1';
        }
        if (kind.has_cores) {
            const std::int64_t cores = std::max(context.cores_per_rank, 1);
            const std::int64_t first = place_on_node(mapping, RankId(r)) * cores;
            for (std::int64_t core = first; core < first + cores; ++core) {
                text += core == first ? ' ' : ',';
                append_number(text, core);
            }
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
        if (kind.has_cores && i == 1) {
            check_cores(words[1], place);
            continue;
        }
        if (kind.has_cores && (i == 2 || i == 3)) continue;  // NUMA nodes and memory policy
        if (kind.has_options && (words[i].starts_with("binding=") || words[i].starts_with("user="))) continue;
        throw InputError(place, "expected " + std::string(kind.writes_count ? "host:count" : "one host") +
                                    " on a line, but also found " + shown(words[i]));
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
                // At least one, so that a list that is too long is noticed.
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
        },
        nullptr,
        [](const Mapping& mapping, const RankMapContext& context, const std::string& map) {
            return launch_host_lines(kKind, mapping, context, map);
        },
        kKind.nodes != nullptr};
}

/// Hydra treats each run of equal lines as a separate node. If a node has several runs, its PMI vector hides that their
/// ranks share the node.
std::string hydra_warning(const Mapping& mapping, const RankMapContext&) {
    std::int32_t series = 0;
    NodeId last;
    for (const NodeId node : mapping.node_of_rank()) {
        if (node != last) ++series;
        last = node;
    }
    const std::int32_t nodes = size_of(mapping).nodes;
    if (series == nodes) return "";
    return "Hydra counts " + std::to_string(series) + " nodes in this file instead of " + std::to_string(nodes) +
           ", so MPICH does not use shared memory between ranks on the same node"
           "\nhint: with MPICH 5.1 or later, write the format pmi for mpiexec -rankmap; or use srun or Open MPI";
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
    hydra.warning = hydra_warning;
    return hydra;
}

RankMapFormat intel_format() {
    return row<kIntel>("Intel MPI, mpirun -machinefile F: host:1 per rank, in rank order; requires host names");
}

RankMapFormat pals_format() {
    return row<kPals>(
        "PALS on Cray systems, mpiexec --ppn 1 --hostfile F: one host name per rank; requires host names");
}

RankMapFormat lsf_format() {
    RankMapFormat lsf = row<kLsf>(
        "LSF's affinity file, LSB_AFFINITY_HOSTFILE: the host name and the cores of each rank, as in "
        "node1 0,1,2,3; requires host names");
    lsf.recognise = [](const MapShape& shape, const RankMapContext& context) {
        const auto behind = behind_host(shape, context);
        return likely_if(behind && behind->empty() && shape.words.size() > 1);
    };
    return lsf;
}

RankMapFormat simgrid_format() {
    return row<kSimgrid>("SimGrid, smpirun -hostfile F: one host per line, in rank order; requires host names");
}

}  // namespace haichi
