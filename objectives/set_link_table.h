#pragma once

#include <cstdint>
#include <vector>

namespace haichi {

/// One integer per (set, link), initially zero: a plain array while sets * links fit kDenseBudgetBytes, otherwise a
/// hash table of the entries in use. Results do not depend on the storage.
template <class T>
class SetLinkTable {
  public:
    static constexpr std::size_t kDenseBudgetBytes = std::size_t{128} << 20;

    SetLinkTable(std::size_t set_count, std::size_t link_count, std::size_t dense_budget_bytes = kDenseBudgetBytes)
        : links_(link_count), dense_(set_count * link_count <= dense_budget_bytes / sizeof(T)) {
        if (dense_) {
            values_.assign(set_count * link_count, 0);
        } else {
            rehash(1024);
        }
    }

    /// Returns the entry, creating it if new. The reference is valid until the next call.
    T& at(std::size_t set, std::size_t link) {
        const std::uint64_t key = static_cast<std::uint64_t>(set) * links_ + link;
        return dense_ ? values_[key] : sparse_at(key);
    }
    [[nodiscard]] T get(std::size_t set, std::size_t link) const {
        const std::uint64_t key = static_cast<std::uint64_t>(set) * links_ + link;
        if (dense_) return values_[key];
        const std::size_t i = find(key);
        return keys_[i] == key ? values_[i] : T{0};
    }
    [[nodiscard]] bool is_dense() const { return dense_; }

  private:
    static constexpr std::uint64_t kFree = ~std::uint64_t{0};

    [[nodiscard]] std::size_t find(std::uint64_t key) const {
        std::size_t i = (key * 0x9e3779b97f4a7c15ULL) >> shift_;
        while (keys_[i] != key && keys_[i] != kFree) i = (i + 1) & (keys_.size() - 1);
        return i;
    }

    T& sparse_at(std::uint64_t key) {
        std::size_t i = find(key);
        if (keys_[i] == kFree) {
            if ((used_ + 1) * 2 > keys_.size()) {
                // Entries that returned to zero are dropped here, so the size of the table follows the number of
                // entries in use.
                std::size_t alive = 1;
                for (std::size_t k = 0; k < keys_.size(); ++k) alive += keys_[k] != kFree && values_[k] != 0;
                std::size_t capacity = 1024;
                while (capacity < alive * 4) capacity *= 2;
                rehash(capacity);
                i = find(key);
            }
            keys_[i] = key;
            ++used_;
        }
        return values_[i];
    }

    void rehash(std::size_t capacity) {
        std::vector<std::uint64_t> old_keys = std::move(keys_);
        std::vector<T> old_values = std::move(values_);
        keys_.assign(capacity, kFree);
        values_.assign(capacity, 0);
        used_ = 0;
        shift_ = 64;
        for (std::size_t c = capacity; c > 1; c /= 2) --shift_;
        for (std::size_t k = 0; k < old_keys.size(); ++k) {
            if (old_keys[k] == kFree || old_values[k] == 0) continue;
            const std::size_t i = find(old_keys[k]);
            keys_[i] = old_keys[k];
            values_[i] = old_values[k];
            ++used_;
        }
    }

    std::size_t links_;
    bool dense_;
    std::vector<T> values_;
    std::vector<std::uint64_t> keys_;
    std::size_t used_ = 0;
    int shift_ = 0;
};

}  // namespace haichi
