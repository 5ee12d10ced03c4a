#include "commlog/log/site_totals.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

namespace haichi {

namespace {

/// Sums the calls, times and ranks of call sites. The sites of a rank must be added consecutively, so that each rank is
/// counted once.
class CallSum {
  public:
    void add(const SiteProfile& site, std::int32_t rank) {
        if (last_rank_ != rank) ++totals_.ranks;
        last_rank_ = rank;
        if (totals_.calls == 0 || site.seconds_min < totals_.seconds_min) totals_.seconds_min = site.seconds_min;
        totals_.seconds_max = std::max(totals_.seconds_max, site.seconds_max);
        totals_.calls += site.calls;
        totals_.seconds_total += site.seconds_total;
        totals_.sent_bytes += site.sent_bytes;
        totals_.received_bytes += site.received_bytes;
    }
    [[nodiscard]] const CallTotals& totals() const { return totals_; }

  private:
    CallTotals totals_;
    std::int32_t last_rank_ = -1;
};

using FunctionSums = std::map<std::string, CallSum>;

std::vector<FunctionCalls> by_time(const FunctionSums& sums) {
    std::vector<FunctionCalls> functions;
    for (const auto& [name, sum] : sums) functions.push_back({name, sum.totals()});
    std::ranges::stable_sort(functions, std::ranges::greater{},
                             [](const FunctionCalls& f) { return f.totals.seconds_total; });
    return functions;
}

template <class Each>
void visit_sites(const JobLog& log, Each each) {
    for (const RankLog& rank : log.ranks) {
        for (const SiteProfile& site : rank.profile.sites) each(rank, site, rank.profile.functions[site.function].name);
    }
}

/// Returns the index in JobLog::communicators. The special values, which are not in the rank's table, remain unchanged.
std::uint32_t communicator_of(const RankLog& rank, const SiteProfile& site) {
    return site.communicator < rank.communicators.size() ? rank.communicators[site.communicator] : site.communicator;
}

/// Returns true if none of the processes leaves the operation before all have entered.
bool synchronizes(const std::string& function) {
    // Operations with a count per rank are not in the list, because a rank with count 0 may leave earlier.
    constexpr std::array<std::string_view, 5> kNames = {"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall",
                                                        "MPI_Reduce_scatter_block"};
    const std::string_view name = function.ends_with("_c") ? std::string_view(function).substr(0, function.size() - 2)
                                                           : std::string_view(function);
    return std::ranges::find(kNames, name) != kNames.end();
}

/// The calls of one function on one communicator, by rank.
struct RankShares {
    std::map<std::int32_t, CallSum> ranks;

    void add_waiting(std::size_t members, Waiting& waiting) const {
        if (ranks.size() != members || members < 2) return;
        const CallTotals& first = ranks.begin()->second.totals();
        double least_total = first.seconds_total;
        double least_call = first.seconds_min;
        for (const auto& [rank, sum] : ranks) {
            if (sum.totals().calls != first.calls) return;
            least_total = std::min(least_total, sum.totals().seconds_total);
            least_call = std::min(least_call, sum.totals().seconds_min);
        }
        for (const auto& [rank, sum] : ranks) {
            const CallTotals& own = sum.totals();
            waiting.of_seconds += own.seconds_total;
            waiting.at_least += own.seconds_total - least_total;
            waiting.at_most += own.seconds_total - static_cast<double>(own.calls) * least_call;
        }
    }
};

}  // namespace

bool has_call_sites(const JobLog& log) {
    return std::ranges::any_of(log.ranks, [](const RankLog& rank) {
        return std::ranges::any_of(rank.profile.sites, [](const SiteProfile& site) { return site.offset != 0; });
    });
}

std::vector<CallSiteTotals> call_site_totals(const JobLog& log) {
    // The key consists of the module's path and build ID, the offset, and the function.
    std::map<std::tuple<std::string, std::string, std::uint64_t, std::string>, CallSum> sums;
    visit_sites(log, [&](const RankLog& rank, const SiteProfile& site, const std::string& function) {
        if (site.offset == 0) return;
        const bool has_module = site.module < rank.profile.modules.size();
        const Module module = has_module ? rank.profile.modules[site.module] : Module{};
        // An address outside of all modules has a meaning only in its own process, so it is replaced by 0.
        sums[{module.path, module.build_id, has_module ? site.offset : 0, function}].add(site, rank.rank);
    });
    std::vector<CallSiteTotals> sites;
    for (const auto& [key, sum] : sums) {
        sites.push_back({{std::get<0>(key), std::get<1>(key)}, std::get<2>(key), std::get<3>(key), sum.totals()});
    }
    std::ranges::stable_sort(sites, std::ranges::greater{},
                             [](const CallSiteTotals& s) { return s.totals.seconds_total; });
    return sites;
}

std::vector<CommunicatorTotals> communicator_totals(const JobLog& log) {
    struct Sums {
        CallSum all;
        FunctionSums functions;
        std::map<std::string, RankShares> collectives;
    };
    std::map<std::uint32_t, Sums> sums;
    visit_sites(log, [&](const RankLog& rank, const SiteProfile& site, const std::string& function) {
        const std::uint32_t number = communicator_of(rank, site);
        Sums& of = sums[number];
        of.all.add(site, rank.rank);
        of.functions[function].add(site, rank.rank);
        if (number < log.communicators.size() && synchronizes(function)) {
            of.collectives[function].ranks[rank.rank].add(site, rank.rank);
        }
    });
    std::vector<CommunicatorTotals> totals;
    for (const auto& [number, of] : sums) {
        CommunicatorTotals& row = totals.emplace_back();
        row.communicator = number;
        row.totals = of.all.totals();
        row.functions = by_time(of.functions);
        for (const auto& [function, shares] : of.collectives) {
            const LoggedCommunicator& c = log.communicators[number];
            if (!c.is_intercommunicator()) shares.add_waiting(c.members.size(), row.waiting);
        }
    }
    std::ranges::stable_sort(totals, [](const CommunicatorTotals& a, const CommunicatorTotals& b) {
        const bool a_last = a.communicator == kNoCommunicator;
        const bool b_last = b.communicator == kNoCommunicator;
        return a_last != b_last ? b_last : a.totals.seconds_total > b.totals.seconds_total;
    });
    return totals;
}

std::vector<RegionTotals> region_totals(const JobLog& log) {
    struct Sums {
        RegionTotals row;
        CallSum all;
        FunctionSums functions;
    };
    std::map<std::string, Sums> sums;
    for (const RankLog& rank : log.ranks) {
        for (const RegionProfile& region : rank.profile.regions) {
            RegionTotals& row = sums[region.name].row;
            ++row.ranks;
            row.entries += region.entries;
            row.seconds += region.seconds;
        }
    }
    if (sums.empty()) return {};
    visit_sites(log, [&](const RankLog& rank, const SiteProfile& site, const std::string& function) {
        Sums& of = sums[site.region == 0 ? "" : rank.profile.regions[site.region - 1].name];
        of.all.add(site, rank.rank);
        of.functions[function].add(site, rank.rank);
    });
    std::vector<RegionTotals> totals;
    for (auto& [name, of] : sums) {
        of.row.name = name;
        of.row.totals = of.all.totals();
        of.row.functions = by_time(of.functions);
        if (name.empty()) of.row.ranks = of.row.totals.ranks;
        totals.push_back(std::move(of.row));
    }
    // The totals outside all regions are first, because their name is empty, and are moved to the end.
    if (totals.front().name.empty()) std::rotate(totals.begin(), totals.begin() + 1, totals.end());
    return totals;
}

}  // namespace haichi
