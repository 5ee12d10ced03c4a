#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/table.h"
#include "mapper/rankmap/hosts.h"
#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"

namespace haichi {

/// What a map has to fulfil, in the order of checking.
enum class MapRule {
    kRecords,    ///< every record can be read and names a node of the job
    kRankCount,  ///< as many ranks as asked for, each once
    kCapacity,   ///< no node has too many ranks, no faulty node any
};

/// Collects what is wrong with a map instead of ending at the first error.
class MapProblems {
  public:
    struct Problem {
        MapRule rule;
        InputError error;
    };

    void add(MapRule rule, const InputError& error) {
        ++count_;
        if (kept_.size() < kMostKept) kept_.push_back({rule, error});
    }
    [[nodiscard]] std::int64_t count() const { return count_; }
    /// The first of them.
    [[nodiscard]] const std::vector<Problem>& kept() const { return kept_; }

  private:
    static constexpr std::size_t kMostKept = 100;
    std::int64_t count_ = 0;
    std::vector<Problem> kept_;
};

/// What writers and readers of rank maps need besides the mapping.
struct RankMapContext {
    const Allocation* allocation = nullptr;
    /// Ranks that a file being read must have; 0: as many as it has.
    std::int32_t rank_count = 0;
    /// Names of the nodes, for formats that use them; null: not known.
    const HostNames* hosts = nullptr;
    /// Where readers put what is wrong with single records, and go on; null: they throw it.
    MapProblems* problems = nullptr;
};

/// What a reader found: the node of each rank, and the line that says so.
struct PlacedRanks {
    std::vector<NodeId> node_of_rank;  ///< invalid ids only where problems are collected
    std::vector<std::uint32_t> line_of_rank;
    /// Each rank's place on its node, 0 .. ranks per node - 1; empty: the format does not say, ranks are in rank order.
    std::vector<std::int32_t> place_of_rank;
};

struct MapShape;

/// Whether a text may be in a format. Where several formats may be meant, those that are likely come first, then those
/// that are possible, each in the order of the table; the first that can read the text is taken, unless another one
/// reads it differently.
enum class Likeness { kNone, kPossible, kLikely };

/// A rank-map file format: one file in this folder and one row in the table.
struct RankMapFormat {
    std::string name;
    std::string sentence;  ///< used with what, content of a line
    /// Throws UnsupportedError when no mapping of this job can be written, OptionError when host names are needed and
    /// not known; to be called before a long run.
    void (*check)(const RankMapContext& context) = nullptr;
    /// By the first record; null: the same file is read by another row.
    Likeness (*recognise)(const MapShape& shape, const RankMapContext& context) = nullptr;
    /// The whole file. Throws as check() does, and UnsupportedError for a mapping that the format cannot express.
    std::string (*write)(const Mapping& mapping, const RankMapContext& context) = nullptr;
    /// Throws InputError with file and line; the caller checks node capacities. O(length of the text).
    PlacedRanks (*read)(std::string_view text, const std::string& file, const RankMapContext& context) = nullptr;
    /// One sentence about what may go wrong with a map that was written, or ""; null: nothing is known.
    std::string (*warning)(const Mapping& mapping, const RankMapContext& context) = nullptr;
};

const Table<RankMapFormat>& rank_map_formats();

/// Throws OptionError with did-you-mean.
inline const RankMapFormat& rank_map_format(std::string_view name) { return rank_map_formats().at(name); }

/// The format for users who name none: `fujitsu` where the job has logical coordinates, else `json`.
const RankMapFormat& default_rank_map_format(const RankMapContext& context);

/// Name of the format a text seems to be in, by its content; throws InputError when it fits none, or fits two that read
/// it differently.
std::string recognise_rank_map(std::string_view text, const std::string& file, const RankMapContext& context);

/// Reads a map file ("-": standard input); `format` empty: recognised by content. Throws InputError for a wrong number
/// of ranks, nodes outside the job and nodes with too many ranks, naming file, line and rank.
Mapping read_rank_map(const std::string& path, const std::string& format, const RankMapContext& context);

/// The same from a text; `file` names it in errors.
Mapping parse_rank_map(std::string_view text, const std::string& file, const std::string& format,
                       const RankMapContext& context);

/// Everything that is wrong with a map, as far as its records can be read one by one.
struct MapFindings {
    std::string format;
    std::int64_t rank_count = 0;
    std::int32_t most_ranks_on_a_node = 0;
    MapProblems problems;
};

/// As parse_rank_map, but collects what is wrong. Throws only what is no matter of the text: OptionError and
/// UnsupportedError.
MapFindings examine_rank_map(std::string_view text, const std::string& file, const std::string& format,
                             RankMapContext context);

/// The options to paste into a PJM job script beside a `fujitsu` map, one per line; empty when the machine is no Tofu
/// or PJM does not know the fold.
std::string pjm_options(const Mapping& mapping, const RankMapContext& context, const std::string& map_file);

}  // namespace haichi
