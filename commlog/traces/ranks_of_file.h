#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace haichi {

/// Manages the readers of ranks whose records are mixed in one file. Each reader reserves the tables of a call log (6.5
/// MB of address space), so at most kMostAtOnce exist at a time. The file is read again for the remaining ranks, in as
/// many passes as necessary.
template <class Rank>
class RanksOfFile {
  public:
    static constexpr std::size_t kMostAtOnce = 512;

    /// Returns true if the file has had a record of this rank.
    [[nodiscard]] bool contains(std::int32_t number) const {
        const auto index = static_cast<std::size_t>(number);
        return index < entries_.size() && entries_[index].is_named;
    }
    [[nodiscard]] std::size_t count() const { return count_; }

    /// Returns the reader of a rank. A missing reader is created by make() if fewer than kMostAtOnce readers exist.
    /// Returns null if another pass reads the rank.
    template <class Make>
    Rank* find(std::int32_t number, const Make& make) {
        const auto index = static_cast<std::size_t>(number);
        if (index >= entries_.size()) entries_.resize(index + 1);
        Entry& entry = entries_[index];
        if (!entry.is_named) ++count_;
        entry.is_named = true;
        if (entry.reader == nullptr && !entry.is_read && at_once_ < kMostAtOnce) {
            entry.reader = make();
            ++at_once_;
        }
        return entry.reader.get();
    }
    /// Must be called at the end of the file, which ends a pass. take() gets each reader of this pass. Returns true if
    /// another pass is needed.
    template <class Take>
    bool end_pass(const Take& take) {
        bool is_whole = true;
        for (Entry& entry : entries_) {
            if (entry.reader != nullptr) {
                take(*entry.reader);
                entry.reader.reset();
                entry.is_read = true;
            }
            is_whole = is_whole && entry.is_read == entry.is_named;
        }
        at_once_ = 0;
        return !is_whole;
    }

  private:
    struct Entry {
        std::unique_ptr<Rank> reader;
        bool is_named = false;
        bool is_read = false;
    };
    std::vector<Entry> entries_;  ///< by rank
    std::size_t count_ = 0;       ///< number of ranks that the file has named
    std::size_t at_once_ = 0;
};

}  // namespace haichi
