#include "commlog/log/job_totals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace haichi {

namespace {

void add_function(FunctionTotals& sum, const FunctionProfile& function, double own_ns_per_call) {
    if (function.calls != 0) {
        if (sum.calls == 0 || function.seconds_min < sum.seconds_min) sum.seconds_min = function.seconds_min;
        sum.seconds_max = std::max(sum.seconds_max, function.seconds_max);
        ++sum.ranks;
    }
    sum.calls += function.calls;
    sum.seconds_total += function.seconds_total;
    add_messages(sum.sent, function.sent);
    add_messages(sum.received, function.received);
    constexpr double kNsPerS = 1e9;
    sum.own_seconds += static_cast<double>(function.calls) * own_ns_per_call / kNsPerS;
}

/// Computes the distribution of one time over the ranks, which are added in rank order.
class SpreadBuilder {
  public:
    void add(double seconds, std::int32_t rank) {
        if (count_ == 0 || seconds < spread_.min) {
            spread_.min = seconds;
            spread_.min_rank = rank;
        }
        if (count_ == 0 || seconds > spread_.max) {
            spread_.max = seconds;
            spread_.max_rank = rank;
        }
        // Welford's method avoids cancellation when the ranks' times are nearly equal.
        ++count_;
        const double difference = seconds - spread_.mean;
        spread_.mean += difference / count_;
        squares_ += difference * (seconds - spread_.mean);
    }
    [[nodiscard]] RankSpread take() {
        if (count_ > 0) spread_.deviation = std::sqrt(squares_ / count_);
        return spread_;
    }

  private:
    RankSpread spread_;
    double squares_ = 0;
    double count_ = 0;
};

std::vector<std::string> sorted(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

/// Returns the traffic that a rank sent, computed from the events of its call log.
std::vector<PeerTraffic> logged_peers(const RankLog& rank) {
    std::map<std::int32_t, PeerCounters> sent;
    for (const CallSequence& thread : rank.threads) {
        for (const LoggedEvent& event : thread.events) {
            if (event.key.kind != CallKind::kSend) continue;
            PeerCounters& peer = sent[event.key.peer];
            peer.sent_messages += event.count;
            peer.sent_bytes +=
                (event.key.flags & kVariableSize) != 0 ? event.bytes_total : event.count * event.key.bytes;
        }
    }
    std::vector<PeerTraffic> peers;
    for (const auto& [peer, traffic] : sent) peers.push_back({peer, traffic});
    return peers;
}

/// The point-to-point traffic of all ranks by peer, from the profile or from the call log.
class PeerTables {
  public:
    explicit PeerTables(const JobLog& log) : log_(&log), logged_(log.ranks.size()), next_(log.ranks.size()) {
        for (std::size_t i = 0; i < log.ranks.size(); ++i) {
            if (log.ranks[i].profile.peers.empty()) logged_[i] = logged_peers(log.ranks[i]);
        }
    }
    /// `i` is an index in JobLog::ranks, which may lack ranks without data.
    [[nodiscard]] const std::vector<PeerTraffic>& at(std::size_t i) const {
        const std::vector<PeerTraffic>& profiled = log_->ranks[i].profile.peers;
        return profiled.empty() ? logged_[i] : profiled;
    }
    /// Returns true if `source` has sent to `destination`. For each source, calls must have ascending destinations,
    /// because its peers are scanned once.
    [[nodiscard]] bool has_sent(std::int32_t source, std::int32_t destination) {
        const std::size_t i = place_of(source);
        if (i == log_->ranks.size()) return false;
        const std::vector<PeerTraffic>& peers = at(i);
        std::size_t& next = next_[i];
        while (next < peers.size() && peers[next].peer < destination) ++next;
        return next < peers.size() && peers[next].peer == destination && peers[next].traffic.sent_messages != 0;
    }
    [[nodiscard]] bool is_rank(std::int32_t peer) const { return peer >= 0 && peer < log_->rank_count; }

  private:
    /// Returns the index of a rank in JobLog::ranks, or the size of JobLog::ranks if the rank is missing.
    [[nodiscard]] std::size_t place_of(std::int32_t rank) const {
        const std::size_t direct = static_cast<std::size_t>(rank);
        if (direct < log_->ranks.size() && log_->ranks[direct].rank == rank) return direct;
        const auto found = std::ranges::lower_bound(log_->ranks, rank, {}, &RankLog::rank);
        if (found == log_->ranks.end() || found->rank != rank) return log_->ranks.size();
        return static_cast<std::size_t>(found - log_->ranks.begin());
    }

    const JobLog* log_;
    std::vector<std::vector<PeerTraffic>> logged_;
    std::vector<std::size_t> next_;
};

}  // namespace

bool has_all_sizes(const MessageStatistics& messages) {
    std::uint64_t known = 0;
    for (const std::uint64_t count : messages.classes) known += count;
    return known == messages.count;
}

void add_messages(MessageStatistics& sum, const MessageStatistics& more) {
    if (more.count == 0) return;
    if (sum.count == 0 || more.bytes_min < sum.bytes_min) sum.bytes_min = more.bytes_min;
    sum.bytes_max = std::max(sum.bytes_max, more.bytes_max);
    sum.count += more.count;
    sum.bytes_total += more.bytes_total;
    sum.empty += more.empty;
    for (std::size_t k = 0; k < sum.classes.size(); ++k) sum.classes[k] += more.classes[k];
}

double computing_seconds(const RankProfile& profile) {
    return std::max(0.0, profile.wall_seconds - profile.mpi_seconds);
}

JobTotals job_totals(const JobLog& log) {
    JobTotals totals;
    std::map<std::string, FunctionTotals> functions;
    std::set<std::string> hosts;
    std::set<std::string> programs;
    std::set<std::string> libraries;
    SpreadBuilder wall;
    SpreadBuilder mpi;
    SpreadBuilder computing;
    for (const RankLog& rank : log.ranks) {
        if (!rank.host.empty()) hosts.insert(rank.host);
        if (!rank.program.empty()) programs.insert(rank.program);
        if (!rank.library.empty()) libraries.insert(rank.library);
        const RankProfile& profile = rank.profile;
        totals.lost_messages += profile.lost_messages;
        totals.lost_bytes += profile.lost_bytes;
        if (profile.wall_seconds <= 0 && profile.functions.empty()) continue;  // the rank's part is missing
        ++totals.profiled_ranks;
        for (const FunctionProfile& function : profile.functions) {
            FunctionTotals& sum = functions[function.name];
            sum.name = function.name;
            add_function(sum, function, rank.own_ns_per_call);
        }
        for (const PeerTraffic& peer : profile.peers) {
            if (peer.peer != kOutside) break;  // peers ascend, and kOutside is the smallest value
            totals.outside.sent_messages += peer.traffic.sent_messages;
            totals.outside.sent_bytes += peer.traffic.sent_bytes;
            totals.outside.received_messages += peer.traffic.received_messages;
            totals.outside.received_bytes += peer.traffic.received_bytes;
        }
        totals.mpi_seconds += profile.mpi_seconds;
        totals.computing_seconds += computing_seconds(profile);
        wall.add(profile.wall_seconds, rank.rank);
        mpi.add(profile.mpi_seconds, rank.rank);
        computing.add(computing_seconds(profile), rank.rank);
    }
    totals.wall = wall.take();
    totals.mpi = mpi.take();
    totals.computing = computing.take();
    totals.run_seconds = totals.wall.max;
    totals.has_times = totals.run_seconds > 0 || totals.mpi_seconds > 0;
    for (auto& [name, function] : functions) totals.functions.push_back(std::move(function));
    std::ranges::stable_sort(totals.functions, std::ranges::greater{}, &FunctionTotals::seconds_total);
    totals.hosts = sorted(hosts);
    totals.programs = sorted(programs);
    totals.libraries = sorted(libraries);
    return totals;
}

bool is_spoiled(const FunctionTotals& function, const JobTotals& totals) {
    return function.own_share() >= kSpoilingShare && function.seconds_total >= kLargeTimeShare * totals.mpi_seconds;
}

void visit_pairs(const JobLog& log, const std::function<void(const PairTraffic&)>& visit) {
    PeerTables tables(log);
    for (std::size_t i = 0; i < log.ranks.size(); ++i) {
        for (const PeerTraffic& peer : tables.at(i)) {
            if (!tables.is_rank(peer.peer) || peer.traffic.sent_messages == 0) continue;
            visit({log.ranks[i].rank, peer.peer, peer.traffic.sent_messages, peer.traffic.sent_bytes, false});
        }
    }
    for (std::size_t i = 0; i < log.ranks.size(); ++i) {
        const std::int32_t destination = log.ranks[i].rank;
        for (const PeerTraffic& peer : tables.at(i)) {
            if (!tables.is_rank(peer.peer) || peer.traffic.received_messages == 0) continue;
            if (tables.has_sent(peer.peer, destination)) continue;
            visit({peer.peer, destination, peer.traffic.received_messages, peer.traffic.received_bytes, true});
        }
    }
}

OneSidedCounters one_sided_total(const JobLog& log) {
    OneSidedCounters sum{};
    for (const RankLog& rank : log.ranks) {
        for (const OneSidedTraffic& to : rank.profile.targets) {
            if (to.target == rank.rank) continue;
            sum.put_operations += to.traffic.put_operations;
            sum.put_bytes += to.traffic.put_bytes;
            sum.got_operations += to.traffic.got_operations;
            sum.got_bytes += to.traffic.got_bytes;
        }
    }
    return sum;
}

}  // namespace haichi
