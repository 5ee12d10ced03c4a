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

/// The features of a map's text, mostly of its first record, by which formats recognise it.
struct MapShape {
    char first = 0;                       ///< first character that is not blank
    std::string_view start;               ///< the text from that character on, at most 64 bytes
    std::string_view record;              ///< first line with more than blanks and a comment; empty if there is none
    std::vector<std::string_view> words;  ///< words of the record
    bool is_list = false;                 ///< ranks and ranges with commas
    bool is_columns = false;              ///< words that begin like numbers, but are not a list
};

/// The table entries. The file of each format defines its function.
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
RankMapFormat pals_format();
RankMapFormat flux_format();
RankMapFormat pmi_format();
RankMapFormat erf_format();
RankMapFormat lsf_format();
RankMapFormat simgrid_format();
RankMapFormat csv_format();
RankMapFormat partition_format();

/// The characters between words in a line of a map.
inline constexpr std::string_view kBlanks = " \t\r";

/// Removes a byte-order mark, with which files of some formats may begin.
inline std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// Converts a condition to a likeness.
inline Likeness likely_if(bool is_likely) { return is_likely ? Likeness::kLikely : Likeness::kNone; }
inline Likeness possible_if(bool is_possible) { return is_possible ? Likeness::kPossible : Likeness::kNone; }

inline void append_number(std::string& text, std::int64_t number) {
    char digits[24];
    const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number);
    text.append(digits, end);
}

/// Calls `read`, which reads one record or checks one rule. If problems are collected, an InputError is kept and the
/// result is false.
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

/// Collects the nodes of ranks 0, 1, ... for formats whose k-th record is rank k. Records beyond the job's slots are
/// counted but not kept, so a hostile file costs no memory.
class RankCollector {
  public:
    RankCollector(const std::string& file, const RankMapContext& context, std::string record);

    /// `copies` is the number of ranks that the record places on the node.
    void add(NodeId node, std::size_t line, std::int64_t copies = 1) {
        for (std::int64_t kept = std::min(copies, room()); kept > 0; --kept) {
            placed_.node_of_rank.push_back(node);
            placed_.line_of_rank.push_back(static_cast<std::uint32_t>(line));
        }
        count_ += copies;
    }
    /// Also sets the rank's slot on the node. Must be called for all ranks or for none.
    void add_with_place(NodeId node, std::int32_t place, std::size_t line) {
        if (count_ < most_) placed_.place_of_rank.push_back(place);
        add(node, line);
    }
    /// Number of ranks that can still be added.
    [[nodiscard]] std::int64_t room() const { return std::max<std::int64_t>(most_ - count_, 0); }
    /// Throws InputError with `hint` unless the file has the required ranks.
    PlacedRanks take(const RankMapContext& context, const std::string& hint);

  private:
    std::string file_;
    std::string record_;  ///< the format's name for a record with one rank, such as "line"
    std::int64_t most_ = 0;
    std::int64_t count_ = 0;
    PlacedRanks placed_;
};

/// Collects the nodes of ranks that the file states in any order, each rank once.
class NumberedRanks {
  public:
    NumberedRanks(std::string file, const RankMapContext& context);

    /// Throws InputError at `place` for a rank that is out of range or already placed. `place_on_node` is negative if
    /// the file does not state it.
    void add(std::int64_t rank, NodeId node, std::int32_t place_on_node, const SourcePlace& place);
    void add(std::string_view rank, NodeId node, std::int32_t place_on_node, const SourcePlace& place);
    /// Replaces add() for a record that could not be read.
    void skip() { ++skipped_; }
    /// The largest valid rank number.
    [[nodiscard]] std::int64_t largest_rank() const { return most_ - 1; }
    /// Throws InputError unless the file has the required ranks, without a gap.
    PlacedRanks take(const RankMapContext& context, const std::string& record);

  private:
    std::string file_;
    std::int64_t most_ = 0;
    std::int64_t count_ = 0;
    std::int64_t skipped_ = 0;
    PlacedRanks placed_;
};

/// Tracks the occupied slots of nodes, for formats that name slots.
class PlaceTable {
  public:
    /// `what` is the format's word for a slot, "core".
    PlaceTable(const Allocation& allocation, std::string what);

    /// Occupies the slot that `text` names. Throws InputError at `place` if it is out of range or occupied.
    std::int32_t take(NodeId node, std::string_view text, const SourcePlace& place);

  private:
    const Allocation* allocation_;
    std::string what_;
    std::vector<std::uint32_t> line_of_slot_;  ///< 0 means free
};

/// Throws InputError if the file does not have the required number of ranks. If the required number is 0, throws
/// InputError unless there is at least one rank and at most one per slot.
void check_rank_count(const std::string& file, std::int64_t found, const RankMapContext& context,
                      const std::string& record, const std::string& hint);

/// Throws InputError at `place` unless the text is a list of distinct cores, such as 0,2,4-7. Braces and blanks are
/// allowed around its parts.
void check_cores(std::string_view cores, const SourcePlace& place);
/// A rank's slot on its node, derived from the cores to which it is bound. These are one number, or a range such as 4-7
/// that begins at a multiple of its length. Returns -1 for other lists.
std::int32_t place_of_cores(std::string_view cores, const RankMapContext& context);
/// Discards the slots if two ranks of a node share one.
void keep_distinct_places(PlacedRanks& placed, const Allocation& job);

/// Whether the job's nodes have coordinates.
bool has_coordinates(const Allocation& allocation);

/// If the record begins with the name of a node of the job, returns the rest of that word, which may be "". Otherwise
/// returns nothing.
std::optional<std::string_view> behind_host(const MapShape& shape, const RankMapContext& context);

/// The number of columns of a record of numbers. 0 for other records, and for records with node names that are numbers.
std::size_t columns_of(const MapShape& shape, const RankMapContext& context);

/// Number of coordinates of a node's address on the machine: its axes, or 1 on a tree or graph.
std::size_t address_length(const Allocation& allocation);

/// The job's node at the machine coordinates in `words`. Throws InputError at `place`.
NodeId node_at_address(const Allocation& allocation, std::span<const std::string_view> words, const SourcePlace& place);

/// Implements RankMapFormat::check for formats that require host names. Throws OptionError naming the format.
void require_hosts(const RankMapContext& context, const std::string& format);

/// The node with that name. Throws InputError at `place`.
NodeId node_of_host(const RankMapContext& context, std::string_view name, const SourcePlace& place);

/// A rank's slot on its node, from 0.
inline std::int32_t place_on_node(const Mapping& mapping, RankId rank) {
    return mapping.slot(rank).value % mapping.ranks_per_node();
}

/// Appends the cores of a rank, such as "4-7". Each rank slot has as many cores as the context states, or one.
void append_cores(std::string& text, const Mapping& mapping, RankId rank, const RankMapContext& context);

/// The nodes and ranks that a launcher requests.
struct JobSize {
    std::int32_t ranks = 0;
    std::int32_t nodes = 0;           ///< nodes with a rank
    std::int32_t last_node = -1;      ///< the highest id of a node with a rank
    std::int32_t ranks_per_node = 0;  ///< ranks of the fullest node
};
JobSize size_of(const Mapping& mapping);

/// " --cpus-per-task=4", or "" if the context does not state the cores per rank. `option` ends with the separator.
std::string cores_option(const RankMapContext& context, const std::string& option);

/// A word of a shell command, in quotes if the shell would change it.
std::string shell_word(const std::string& word);

/// PMI_process_mapping, "(vector,(0,2,1),...)": triples of first node, number of nodes and ranks per node, in rank
/// order.
std::string pmi_vector(const Mapping& mapping);

/// Appends the machine coordinates of a node, separated by blanks. A blank also precedes the first one, unless `text`
/// is at the beginning of a line.
void append_address(std::string& text, const Allocation& allocation, NodeId node);

}  // namespace haichi
