#pragma once

#include <charconv>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "base/errors.h"
#include "mapper/rankmap/rankmap.h"

namespace haichi {

/// The rows of the table, one function in each format's file.
RankMapFormat fujitsu_format();
RankMapFormat tofu6d_format();
RankMapFormat nsim_format();
RankMapFormat json_format();

inline void append_number(std::string& text, std::int64_t number) {
    char digits[24];
    const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
    text.append(digits, end);
}

/// Collects the nodes of ranks 0, 1, ... for formats whose k-th record is rank k. Records beyond what the job can hold
/// are counted but not kept, so that a hostile file costs no memory.
class RankCollector {
  public:
    RankCollector(const std::string& file, const RankMapContext& context, std::string record);

    void add(NodeId node, std::size_t line) {
        if (count_++ >= most_) return;
        placed_.node_of_rank.push_back(node);
        placed_.line_of_rank.push_back(static_cast<std::uint32_t>(line));
    }
    /// Throws InputError unless the file has the ranks asked for. `hint` is that of the error.
    PlacedRanks take(const RankMapContext& context, const std::string& hint);

  private:
    std::string file_;
    std::string record_;  ///< what a rank takes, "line"
    std::int64_t most_ = 0;
    std::int64_t count_ = 0;
    PlacedRanks placed_;
};

/// Throws the InputError for a file with another number of ranks than asked for (0: for more ranks than slots, or
/// none).
void check_rank_count(const std::string& file, std::int64_t found, const RankMapContext& context,
                      const std::string& record, const std::string& hint);

/// Number of coordinates of a node's address on the machine: its axes, or 1 on a tree.
std::size_t address_length(const Allocation& allocation);

/// The job's node at the machine coordinates in `words`. Throws InputError at `place`.
NodeId node_at_address(const Allocation& allocation, std::span<const std::string_view> words, const SourcePlace& place);

/// The machine coordinates of a node, each after a blank (the first too when `text` does not begin a line).
void append_address(std::string& text, const Allocation& allocation, NodeId node);

}  // namespace haichi
