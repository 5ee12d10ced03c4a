#include "commlog/nas/nas_log.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "commlog/workload/workload.h"

namespace haichi {

namespace {

/// Maximum number of ranks up to which nearest() searches.
constexpr int kMostNasRanks = 1 << 20;

/// Returns text such as "4 or 9": the nearest lower and higher numbers of ranks on which the program runs.
std::string nearest(const NasProgram& program, char problem_class, int ranks) {
    std::string text;
    for (int below = std::min(ranks, kMostNasRanks) - 1; below > 0; --below) {
        if (!program.refusal(problem_class, below).empty()) continue;
        text = std::to_string(below);
        break;
    }
    for (int above = ranks + 1; above <= kMostNasRanks; ++above) {
        if (!program.refusal(problem_class, above).empty()) continue;
        text += (text.empty() ? "" : " or ") + std::to_string(above);
        break;
    }
    return text;
}

NasRun checked_run(const NasProgram& program, const NasOptions& options) {
    const std::string name = "pattern " + shown(program.name);
    if (options.problem_class.size() != 1 || program.classes.find(options.problem_class) == std::string::npos) {
        std::string known;
        for (const char c : program.classes) known += (known.empty() ? "" : ", ") + std::string(1, c);
        throw OptionError(name + " has no class " + shown(options.problem_class), "choose one of the classes " + known);
    }
    const char problem_class = options.problem_class.front();
    if (options.ranks == 0)
        throw OptionError(name + " requires a number of ranks", "give a number of ranks, such as §ranks 16");
    if (options.ranks < 1 || options.ranks > kMostNasRanks) {
        throw OptionError(name + " runs on 1 to " + std::to_string(kMostNasRanks) + " ranks, found " +
                          std::to_string(options.ranks));
    }
    const std::string refusal = program.refusal(problem_class, options.ranks);
    if (!refusal.empty()) {
        const std::string others = nearest(program, problem_class, options.ranks);
        throw OptionError(name + " of class " + options.problem_class + " does not run on " +
                              std::to_string(options.ranks) + " ranks: " + refusal,
                          others.empty() ? "" : "choose " + others);
    }
    NasRun run{.problem_class = problem_class, .ranks = options.ranks};
    run.class_iterations = program.iterations(problem_class);
    run.iterations = options.iterations.value_or(run.class_iterations);
    if (run.iterations < 1 || run.iterations > (std::int64_t{1} << 32)) {
        throw OptionError("iterations must be 1 to 2^32, found " + std::to_string(run.iterations));
    }
    if (run.class_iterations == 1 && run.iterations != 1)
        throw OptionError(name + " cannot be combined with iterations");
    if (!std::isfinite(options.compute_seconds) || options.compute_seconds < 0 || options.compute_seconds > 1e9) {
        throw OptionError("compute_seconds must be 0 to 10^9 seconds");
    }
    run.iteration_seconds = options.compute_seconds / static_cast<double>(run.class_iterations);
    return run;
}

/// Computes the received messages of each rank from the messages that the other ranks sent.
void add_received(JobLog& log) {
    std::vector<std::vector<PeerTraffic>> received(log.ranks.size());
    for (const RankLog& rank : log.ranks) {
        for (const PeerTraffic& to : rank.profile.peers) {
            received[static_cast<std::size_t>(to.peer)].push_back(
                {rank.rank, {0, 0, to.traffic.sent_messages, to.traffic.sent_bytes}});
        }
    }
    for (RankLog& rank : log.ranks) {
        std::vector<PeerTraffic> both;
        const auto& in = received[static_cast<std::size_t>(rank.rank)];
        auto from = in.begin();
        for (const PeerTraffic& to : rank.profile.peers) {
            for (; from != in.end() && from->peer < to.peer; ++from) both.push_back(*from);
            both.push_back(to);
            if (from == in.end() || from->peer != to.peer) continue;
            both.back().traffic.received_messages = from->traffic.received_messages;
            both.back().traffic.received_bytes = from->traffic.received_bytes;
            ++from;
        }
        both.insert(both.end(), from, in.end());
        rank.profile.peers = std::move(both);
    }
}

}  // namespace

int log2_of(int ranks) {
    int log = 0;
    while ((1 << log) < ranks) ++log;
    return (1 << log) == ranks ? log : -1;
}

int root_of(int ranks) {
    const int root = static_cast<int>(std::lround(std::sqrt(ranks)));
    return root * root == ranks ? root : -1;
}

std::string refuse_unless_power_of_two(int ranks) { return log2_of(ranks) < 0 ? "it requires a power of two" : ""; }

const Table<NasProgram>& nas_programs() {
    static const Table<NasProgram> kRows(
        {"pattern", "patterns"},
        {
            {"nas-bt", "NPB BT: exchanges of the faces of a multipartition, then block systems through its cells.",
             "SWABCDE", bt_iterations, bt_refusal, multipartition_communicators, write_bt},
            {"nas-cg", "NPB CG: sums along the rows of a grid of ranks, the transpose exchange, and dot products.",
             "SWABCDE", cg_iterations, cg_refusal, nullptr, write_cg},
            {"nas-ep", "NPB EP: random numbers, then three all-reduces.", "SWABCDE", ep_iterations, ep_refusal, nullptr,
             write_ep},
            {"nas-ft", "NPB FT: all-to-alls of a 3D FFT, and a checksum.", "SWABCDE", ft_iterations, ft_refusal,
             ft_communicators, write_ft},
            {"nas-is", "NPB IS: all-reduce of the bucket sizes, then all-to-all of the keys.", "SWABCD", is_iterations,
             is_refusal, nullptr, write_is},
            {"nas-lu", "NPB LU: wavefronts through the planes of a 2D decomposition, and a halo exchange.", "SWABCDE",
             lu_iterations, lu_refusal, nullptr, write_lu},
            {"nas-mg", "NPB MG: halo exchanges on all levels of a V-cycle; ranks without points are idle.", "SWABCDE",
             mg_iterations, mg_refusal, nullptr, write_mg},
            {"nas-sp", "NPB SP: like BT, with scalar systems, whose set-up overlaps with the messages.", "SWABCDE",
             sp_iterations, sp_refusal, multipartition_communicators, write_sp},
        });
    return kRows;
}

JobLog make_nas_log(std::string_view name, const NasOptions& options) {
    const NasProgram& program = nas_programs().at(name);
    const NasRun run = checked_run(program, options);
    JobLog log;
    log.format = "haichi";
    log.rank_count = run.ranks;
    log.has_profile = true;
    log.has_calls = true;
    LoggedCommunicator world;
    world.members.resize(static_cast<std::size_t>(run.ranks));
    std::iota(world.members.begin(), world.members.end(), 0);
    log.communicators.push_back(std::move(world));
    std::vector<std::vector<std::uint32_t>> communicators_of(static_cast<std::size_t>(run.ranks), {0});
    if (program.communicators != nullptr) {
        for (std::vector<std::int32_t>& members : program.communicators(run)) {
            const auto number = static_cast<std::uint32_t>(log.communicators.size());
            for (const std::int32_t member : members) {
                communicators_of[static_cast<std::size_t>(member)].push_back(number);
            }
            log.communicators.push_back({number, std::move(members), {}});
        }
    }
    for (int rank = 0; rank < run.ranks; ++rank) {
        CallSequenceBuilder calls;
        program.write(run, rank, calls);
        RankLog& made = log.ranks.emplace_back(calls.finish(rank));
        made.communicators = std::move(communicators_of[static_cast<std::size_t>(rank)]);
        made.program = program.name + "." + options.problem_class + "." + std::to_string(run.ranks);
        made.library = "none (haichi pattern)";
    }
    add_received(log);
    return log;
}

}  // namespace haichi
