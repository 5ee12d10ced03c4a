#include "commlog/traces/traced_job.h"

#include <algorithm>
#include <numeric>

#include "base/errors.h"

namespace haichi {

namespace {

/// Formats a list of ranks, such as "1, 5 and 7 more".
std::string first_of(const std::vector<std::int32_t>& ranks) {
    constexpr std::size_t kShown = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), kShown); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    if (ranks.size() > kShown) text += " and " + std::to_string(ranks.size() - kShown) + " more";
    return text;
}

}  // namespace

TracedJob::TracedJob(std::string format, std::string file) : file_(std::move(file)) {
    log_.format = std::move(format);
    log_.communicators.push_back({1, {}, {}});
}

std::uint32_t TracedJob::add_communicator(std::vector<std::int32_t> members, std::vector<std::int32_t> remote_members) {
    const std::size_t index = log_.communicators.size();
    log_.communicators.push_back({index + 1, std::move(members), std::move(remote_members)});
    return static_cast<std::uint32_t>(index);
}

std::int32_t TracedJob::member(std::uint32_t communicator, std::int64_t rank) {
    if (communicator == 0) {
        if (rank < 0 || rank >= (stated_ranks_ > 0 ? stated_ranks_ : kMostTracedRanks)) return kOutside;
        highest_named_ = std::max(highest_named_, static_cast<std::int32_t>(rank));
        return static_cast<std::int32_t>(rank);
    }
    if (communicator >= log_.communicators.size()) return kOutside;
    const LoggedCommunicator& c = log_.communicators[communicator];
    const auto& group = c.is_intercommunicator() ? c.remote_members : c.members;
    if (rank < 0 || static_cast<std::uint64_t>(rank) >= group.size()) return kOutside;
    return group[static_cast<std::size_t>(rank)];
}

void TracedJob::add_rank(RankLog rank) {
    const std::int32_t number = rank.rank;
    if (!ranks_.try_emplace(number, std::move(rank)).second) {
        throw InputError(file_ + ": duplicate rank " + std::to_string(number));
    }
}

void TracedJob::warn_of_missing() {
    std::vector<std::int32_t> missing;
    for (std::int32_t r = 0; r < log_.rank_count; ++r) {
        if (!ranks_.contains(r)) missing.push_back(r);
    }
    if (!missing.empty()) log_.warnings.push_back("the log has no data of ranks " + first_of(missing));
}

void TracedJob::warn_of_lost() {
    std::vector<std::int32_t> full;
    for (const auto& [number, rank] : ranks_) {
        for (const CallSequence& calls : rank.threads) {
            if (calls.lost_events + calls.lost_symbols + calls.lost_completions == 0) continue;
            full.push_back(number);
            break;
        }
    }
    if (full.empty()) return;
    log_.warnings.push_back("some calls of ranks " + first_of(full) +
                            " are left out because they repeat too little for the fixed size of the log");
}

void TracedJob::warn_of_left_out() {
    constexpr std::size_t kShown = 5;
    std::string text;
    std::size_t names = 0;
    for (const auto& [name, count] : left_out_) {
        log_.left_out_calls += count;
        if (names++ < kShown)
            text +=
                (text.empty() ? "" : ", ") + name + " (" + std::to_string(count) + (count == 1 ? " call)" : " calls)");
    }
    if (names == 0) return;
    if (names > kShown) text += " and " + std::to_string(names - kShown) + " other functions";
    log_.warnings.push_back("haichi ignored calls of unknown functions, so their messages are missing: " + text);
}

JobLog TracedJob::finish(bool has_calls) {
    if (ranks_.empty()) throw InputError(file_ + ": no ranks in the log");
    const std::int64_t highest = std::max(ranks_.rbegin()->first, highest_named_);
    const std::int64_t count = stated_ranks_ > 0 ? stated_ranks_ : highest + 1;
    if (highest >= count) {
        throw InputError(file_ + ": invalid rank: " + std::to_string(highest) + " (the job has " +
                         std::to_string(count) + " ranks)");
    }
    if (count > kMostTracedRanks || count > static_cast<std::int64_t>(ranks_.size()) + kMostSilentRanks) {
        throw InputError(file_ + ": the job has " + std::to_string(count) + " ranks, but the log has only " +
                         std::to_string(ranks_.size()));
    }
    log_.rank_count = static_cast<std::int32_t>(count);
    log_.has_profile = true;
    log_.has_calls = has_calls;
    std::vector<std::int32_t>& world = log_.communicators.front().members;
    world.resize(static_cast<std::size_t>(count));
    std::iota(world.begin(), world.end(), 0);
    warn_of_missing();
    warn_of_lost();
    warn_of_left_out();
    log_.ranks.resize(static_cast<std::size_t>(count));
    for (std::size_t r = 0; r < log_.ranks.size(); ++r) log_.ranks[r].rank = static_cast<std::int32_t>(r);
    for (auto& [number, rank] : ranks_) log_.ranks[static_cast<std::size_t>(number)] = std::move(rank);
    return std::move(log_);
}

}  // namespace haichi
