#pragma once

#include <map>
#include <vector>

#include "objectives/lazy_max.h"
#include "objectives/set_link_table.h"

namespace haichi {

/// Loads of the links per set, and the largest load of each set. LazyMax arrays hold them while they fit the budget.
/// Beyond the budget, a hash table holds them, with an ordered count of the loads in use. Results do not depend on the
/// storage.
class SetLoads {
  public:
    static constexpr std::size_t kDenseBudgetBytes = std::size_t{256} << 20;

    SetLoads(std::size_t set_count, std::size_t link_count, std::size_t dense_budget_bytes = kDenseBudgetBytes)
        : dense_(set_count * link_count <= dense_budget_bytes / sizeof(std::int64_t)),
          sparse_(dense_ ? 0 : set_count, link_count, 0) {
        if (dense_) {
            dense_sets_.assign(set_count, LazyMax(link_count));
        } else {
            loads_in_use_.resize(set_count);
        }
    }

    void add(std::size_t set, std::size_t link, std::int64_t change) {
        if (dense_) {
            dense_sets_[set].add(link, change);
            return;
        }
        std::int64_t& load = sparse_.at(set, link);
        auto& in_use = loads_in_use_[set];
        if (load != 0) {
            const auto old = in_use.find(load);
            if (--old->second == 0) in_use.erase(old);
        }
        load += change;
        if (load != 0) ++in_use[load];
    }

    [[nodiscard]] std::int64_t largest(std::size_t set) {
        if (dense_) return dense_sets_[set].max();
        return loads_in_use_[set].empty() ? 0 : loads_in_use_[set].rbegin()->first;
    }
    [[nodiscard]] std::int64_t load(std::size_t set, std::size_t link) const {
        return dense_ ? dense_sets_[set][link] : sparse_.get(set, link);
    }

  private:
    bool dense_;
    std::vector<LazyMax> dense_sets_;
    SetLinkTable<std::int64_t> sparse_;
    std::vector<std::map<std::int64_t, std::int32_t>> loads_in_use_;
};

}  // namespace haichi
