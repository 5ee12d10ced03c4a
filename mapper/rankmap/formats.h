#pragma once

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "mapper/rankmap/rankmap.h"

namespace haichi {

/// What formats look at to recognise a text: its first record.
struct MapShape {
    char first = 0;                       ///< first character that is not blank
    std::string_view record;              ///< first line with more than blanks and a comment; empty: there is none
    std::vector<std::string_view> words;  ///< of it
    bool is_list = false;                 ///< ranks and ranges with commas
    bool is_columns = false;              ///< words that begin as numbers, and no list
};

/// The rows of the table, one function in each format's file.
RankMapFormat fujitsu_format();
RankMapFormat tofu6d_format();
RankMapFormat nsim_format();
RankMapFormat json_format();
RankMapFormat bgq_format();
RankMapFormat bgl_format();
RankMapFormat cray_format();
RankMapFormat openmpi_format();
RankMapFormat slurm_format();
RankMapFormat hydra_format();
RankMapFormat intel_format();
RankMapFormat simgrid_format();
RankMapFormat csv_format();

/// For formats whose files may begin with one.
inline std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// As likely as `is_likely` says, or not at all.
inline Likeness likely_if(bool is_likely) { return is_likely ? Likeness::kLikely : Likeness::kNone; }
inline Likeness possible_if(bool is_possible) { return is_possible ? Likeness::kPossible : Likeness::kNone; }

inline void append_number(std::string& text, std::int64_t number) {
    char digits[24];
    const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
    text.append(digits, end);
}

/// Does `read`, the reading of one record or the check of one rule. Where problems are collected, an InputError is
/// kept and the result is false.
template <class Read>
bool read_or_note(const RankMapContext& context, MapRule rule, Read&& read) {
    if (context.problems == nullptr) {
        read();
        return true;
    }
    try {
        read();
        return true;
    } catch (const InputError& error) {
        context.problems->add(rule, error);
        return false;
    }
}

/// Collects the nodes of ranks 0, 1, ... for formats whose k-th record is rank k. Records beyond what the job can hold
/// are counted but not kept, so that a hostile file costs no memory.
class RankCollector {
  public:
    RankCollector(const std::string& file, const RankMapContext& context, std::string record);

    /// `copies`: a record may place several ranks on the node.
    void add(NodeId node, std::size_t line, std::int64_t copies = 1) {
        for (std::int64_t kept = std::min(copies, room()); kept > 0; --kept) {
            placed_.node_of_rank.push_back(node);
            placed_.line_of_rank.push_back(static_cast<std::uint32_t>(line));
        }
        count_ += copies;
    }
    /// And its place on the node; for all ranks or none.
    void add_with_place(NodeId node, std::int32_t place, std::size_t line) {
        if (count_ < most_) placed_.place_of_rank.push_back(place);
        add(node, line);
    }
    /// Ranks that may still come.
    [[nodiscard]] std::int64_t room() const { return std::max<std::int64_t>(most_ - count_, 0); }
    /// Throws InputError unless the file has the ranks asked for. `hint` is that of the error.
    PlacedRanks take(const RankMapContext& context, const std::string& hint);

  private:
    std::string file_;
    std::string record_;  ///< what a rank takes, "line"
    std::int64_t most_ = 0;
    std::int64_t count_ = 0;
    PlacedRanks placed_;
};

/// Collects the nodes of ranks that stand in any order, each once.
class NumberedRanks {
  public:
    NumberedRanks(std::string file, const RankMapContext& context);

    /// Throws InputError at `place` for a rank that is out of range or placed already. `place_on_node` is negative when
    /// the file does not say it.
    void add(std::int64_t rank, NodeId node, std::int32_t place_on_node, const SourcePlace& place);
    void add(std::string_view rank, NodeId node, std::int32_t place_on_node, const SourcePlace& place);
    /// Instead of add() for a record that could not be read.
    void skip() { ++skipped_; }
    /// Largest rank number that can be added.
    [[nodiscard]] std::int64_t largest_rank() const { return most_ - 1; }
    /// Throws InputError unless the file has the ranks asked for, without a gap.
    PlacedRanks take(const RankMapContext& context, const std::string& record);

  private:
    std::string file_;
    std::int64_t most_ = 0;
    std::int64_t count_ = 0;
    std::int64_t skipped_ = 0;
    PlacedRanks placed_;
};

/// Which places on nodes are taken, for formats that name them.
class PlaceTable {
  public:
    /// `what` a place is called in the format, "core".
    PlaceTable(const Allocation& allocation, std::string what);

    /// The place in `text`; throws InputError at `place` when it is out of range or taken.
    std::int32_t take(NodeId node, std::string_view text, const SourcePlace& place);

  private:
    const Allocation* allocation_;
    std::string what_;
    std::vector<std::uint32_t> line_of_slot_;  ///< 0: free
};

/// Throws the InputError for a file with another number of ranks than asked for (0: for more ranks than slots, or
/// none).
void check_rank_count(const std::string& file, std::int64_t found, const RankMapContext& context,
                      const std::string& record, const std::string& hint);

/// The job's nodes have coordinates.
bool has_coordinates(const Allocation& allocation);

/// What stands behind the name of a node of the job with which the record begins, up to the end of the word: "" also
/// for nothing. No value when it begins otherwise.
std::optional<std::string_view> behind_host(const MapShape& shape, const RankMapContext& context);

/// The number of columns of a record of numbers; 0 for other records, names of nodes that are numbers included.
std::size_t columns_of(const MapShape& shape, const RankMapContext& context);

/// Number of coordinates of a node's address on the machine: its axes, or 1 on a tree or graph.
std::size_t address_length(const Allocation& allocation);

/// The job's node at the machine coordinates in `words`. Throws InputError at `place`.
NodeId node_at_address(const Allocation& allocation, std::span<const std::string_view> words, const SourcePlace& place);

/// For formats that cannot do without host names: the check of their rows; throws OptionError naming the format.
void require_hosts(const RankMapContext& context, const std::string& format);

/// The node of that name; throws InputError at `place`.
NodeId node_of_host(const RankMapContext& context, std::string_view name, const SourcePlace& place);

/// A rank's place on its node.
inline std::int32_t place_on_node(const Mapping& mapping, RankId rank) {
    return mapping.slot(rank).value % mapping.ranks_per_node();
}

/// The machine coordinates of a node, each after a blank (the first too when `text` does not begin a line).
void append_address(std::string& text, const Allocation& allocation, NodeId node);

}  // namespace haichi
