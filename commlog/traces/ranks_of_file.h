#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace haichi {

/// Readers of the ranks whose records are mixed in one file. Each reader reserves the tables of a call log, 6.5 MB of
/// address space, so there are at most kMostAtOnce at a time. The file is read again for the other ranks, in as many
/// passes as needed.
template <class Rank>
class RanksOfFile {
  public:
    static constexpr std::size_t kMostAtOnce = 512;

    /// Returns whether the file has had a record of the rank.
    [[nodiscard]] bool contains(std::int32_t number) const {
        const auto index = static_cast<std::size_t>(number);
        return index < entries_.size() && entries_[index].is_named;
    }
    [[nodiscard]] std::size_t count() const { return count_; }

    /// Returns the rank's reader, which make() makes if fewer than kMostAtOnce exist. Returns null if another pass
    /// reads the rank.
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
    /// Ends a pass at the end of the file. take() gets each reader of this pass. Returns whether another pass is
    /// needed.
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
    std::size_t count_ = 0;       ///< number of named ranks
    std::size_t at_once_ = 0;
};

}  // namespace haichi
