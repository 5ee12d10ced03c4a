#include "commlog/ccs/level_sets.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace haichi {

namespace {

/// Distributes the messages of a step over consecutive sets. In order, each message is put into the first set in which
/// its source and its destination still have capacity.
class LevelSets {
  public:
    LevelSets(std::int32_t ranks, std::int32_t most_per_rank)
        : most_(most_per_rank), sends_(static_cast<std::size_t>(ranks)), receives_(static_cast<std::size_t>(ranks)) {}

    std::size_t set_for(const Message& message) {
        End& source = sends_[static_cast<std::size_t>(message.source.value)];
        End& destination = receives_[static_cast<std::size_t>(message.destination.value)];
        std::size_t word = 0;
        while ((full(source, word) | full(destination, word)) == ~std::uint64_t{0}) ++word;
        const std::size_t set =
            64 * word + static_cast<std::size_t>(std::countr_one(full(source, word) | full(destination, word)));
        use(source, set);
        use(destination, set);
        used_.push_back(&source);
        used_.push_back(&destination);
        return set;
    }

    /// Prepares for the next step; the time depends on the number of used ends, not on the number of ranks.
    void clear() {
        for (End* end : used_) *end = {};
        used_.clear();
    }

  private:
    struct End {
        std::vector<std::uint64_t> full;  ///< one bit per set, which is 1 if the end has no capacity left in the set
        std::vector<std::int32_t> uses;   ///< number of messages in each set, if a set allows several
    };

    static std::uint64_t full(const End& end, std::size_t word) { return word < end.full.size() ? end.full[word] : 0; }

    void use(End& end, std::size_t set) const {
        if (most_ > 1) {
            if (end.uses.size() <= set) end.uses.resize(set + 1);
            if (++end.uses[set] < most_) return;
        }
        if (end.full.size() <= set / 64) end.full.resize(set / 64 + 1);
        end.full[set / 64] |= std::uint64_t{1} << set % 64;
    }

    std::int32_t most_;
    std::vector<End> sends_, receives_;
    std::vector<End*> used_;
};

std::string label_of(const Levels& levels, const std::vector<const LevelledMessage*>& messages, std::int64_t level,
                     std::size_t set, std::size_t sets) {
    const std::uint32_t label = messages.front()->label;
    const bool same = std::ranges::all_of(messages, [&](const LevelledMessage* m) { return m->label == label; });
    std::string text = "step " + std::to_string(level);
    if (same && label != 0) text += ", " + levels.labels[label];
    if (sets > 1) text += ", " + std::to_string(set + 1) + " of " + std::to_string(sets);
    return text;
}

}  // namespace

std::int64_t level_count(const Levels& levels) {
    std::int64_t count = 0;
    std::int64_t last = 0;
    for (const LevelledMessage& message : levels.messages) {
        count += message.level != last ? 1 : 0;
        last = message.level;
    }
    return count;
}

Workload sets_of(const JobLog& job, const Levels& levels, std::int64_t iterations, const LevelSetsOptions& options,
                 std::vector<std::uint32_t>& set_of_message) {
    Workload workload(job.rank_count, iterations);
    workload.reserve_messages(levels.messages.size());
    LevelSets spread(job.rank_count, options.sends_per_rank);
    // The computation time after the last set is counted before the first set of the next iteration.
    const std::size_t last = levels.messages.empty() ? 0 : static_cast<std::size_t>(levels.messages.back().level);
    double computing = 0;
    for (std::size_t l = last + 1; l < levels.compute_seconds.size(); ++l) computing += levels.compute_seconds[l];
    std::size_t computed = 0;
    std::int64_t number = 0;
    for (std::size_t first = 0; first < levels.messages.size();) {
        std::size_t end = first;
        const std::int64_t level = levels.messages[first].level;
        while (end < levels.messages.size() && levels.messages[end].level == level) ++end;
        ++number;
        std::vector<std::vector<const LevelledMessage*>> sets;
        spread.clear();
        for (std::size_t m = first; m < end; ++m) {
            const std::size_t set = spread.set_for(levels.messages[m].message);
            if (set >= sets.size()) sets.resize(set + 1);
            set_of_message.push_back(static_cast<std::uint32_t>(workload.set_count() + set));
            sets[set].push_back(&levels.messages[m]);
        }
        for (; computed <= static_cast<std::size_t>(level) && computed < levels.compute_seconds.size(); ++computed) {
            computing += levels.compute_seconds[computed];
        }
        for (std::size_t s = 0; s < sets.size(); ++s) {
            const bool computes = s == 0 && options.computing;
            workload.add_set(label_of(levels, sets[s], number, s, sets.size()), computes ? computing : 0);
            for (const LevelledMessage* m : sets[s]) {
                workload.add_message(m->message.source, m->message.destination, m->message.size_bytes);
            }
        }
        computing = 0;
        first = end;
    }
    return workload;
}

}  // namespace haichi
