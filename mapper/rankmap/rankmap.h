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

/// The requirements for a map, in the order in which they are checked.
enum class MapRule {
    kRecords,    ///< every record can be read and names a node of the job
    kRankCount,  ///< as many ranks as required, each once
    kCapacity,   ///< no node has too many ranks, and faulty nodes have none
};

/// Collects the problems of a map instead of stopping at the first error.
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
    /// The first problems.
    [[nodiscard]] const std::vector<Problem>& kept() const { return kept_; }

  private:
    static constexpr std::size_t kMostKept = 100;
    std::int64_t count_ = 0;
    std::vector<Problem> kept_;
};

/// The inputs of rank-map writers and readers, except the mapping.
struct RankMapContext {
    const Allocation* allocation = nullptr;
    /// Required number of ranks in a file; 0 allows any number.
    std::int32_t rank_count = 0;
    /// Names of the nodes, for formats that use them; null means unknown.
    const HostNames* hosts = nullptr;
    /// Number of cores to which each rank is bound; 0 means not stated.
    std::int32_t cores_per_rank = 0;
    /// True if nodes hold groups of ranks instead of rank slots.
    bool holds_groups = false;
    /// Receives problems of single records, after which readers continue. If it is null, readers throw them.
    MapProblems* problems = nullptr;
    /// "strict" or "strict-io" if PJM must not rotate the job's request, because the job script or the map requires it.
    std::string strictness{};
};

/// The result of a reader: the node of each rank, and the line that states it.
struct PlacedRanks {
    std::vector<NodeId> node_of_rank;  ///< invalid ids only if problems are collected
    std::vector<std::uint32_t> line_of_rank;
    /// Each rank's slot on its node, 0 .. ranks per node - 1. Empty if the format does not state slots. The ranks of a
    /// node then take its slots in ascending order.
    std::vector<std::int32_t> place_of_rank;
};

struct MapShape;

/// Whether a text may be in a format. Among candidates, likely formats come before possible formats, each in the order
/// of the table. The first candidate that can read the text is chosen, unless another candidate reads it differently.
enum class Likeness { kNone, kPossible, kLikely };

/// A rank-map file format: one file in this directory and one entry in the table.
struct RankMapFormat {
    std::string name;
    std::string sentence;  ///< tools that use it, and the content of a line
    /// The part of check_rank_map_format() that is specific to the format.
    void (*check)(const RankMapContext& context) = nullptr;
    /// Recognises the format by the first record. Null if another entry reads the same files.
    Likeness (*recognise)(const MapShape& shape, const RankMapContext& context) = nullptr;
    /// Writes the whole file. Throws as check() does, and UnsupportedError for a mapping that the format cannot
    /// express.
    std::string (*write)(const Mapping& mapping, const RankMapContext& context) = nullptr;
    /// Throws InputError with file and line. The caller checks node capacities. O(length of the text).
    PlacedRanks (*read)(std::string_view text, const std::string& file, const RankMapContext& context) = nullptr;
    /// Returns a sentence about possible problems of a written map, perhaps with a line for a hint. Null if no problems
    /// are known.
    std::string (*warning)(const Mapping& mapping, const RankMapContext& context) = nullptr;
    /// The lines of a job script that start a program with the map in `file`; "" if the launcher cannot use this map.
    /// Null if no launcher reads the format.
    std::string (*launch)(const Mapping& mapping, const RankMapContext& context, const std::string& file) = nullptr;
    /// Whether launch() also works without the node names that the format needs. `file` is then a map in the format
    /// csv, and the lines take the names from the running job.
    bool takes_names_of_job = false;
    /// Whether files can describe groups of ranks (RankMapContext::holds_groups): they state the number of a node for
    /// each rank, and no slots or cores.
    bool describes_groups = false;
};

const Table<RankMapFormat>& rank_map_formats();

/// Throws if the format cannot express any mapping of this job: UnsupportedError, and OptionError if required host
/// names are unknown. To be called before a long run.
void check_rank_map_format(const RankMapFormat& format, const RankMapContext& context);

/// Throws OptionError with a did-you-mean hint.
inline const RankMapFormat& rank_map_format(std::string_view name) { return rank_map_formats().at(name); }

/// The default format: `fujitsu` if the job has logical coordinates, else `json`.
const RankMapFormat& default_rank_map_format(const RankMapContext& context);

/// The format of the map for the job lines of `launcher`. It is csv if the launcher needs node names that only the
/// running job knows. Otherwise it is the launcher's own format. Throws OptionError if no launcher reads the format.
const RankMapFormat& format_for_launcher(const RankMapFormat& launcher, const RankMapContext& context);

/// The lines of a job script that start a program with the map in `file`, which has the format of
/// format_for_launcher(). Empty if no launcher can use the map.
std::string launch_lines(const RankMapFormat& launcher, const Mapping& mapping, const RankMapContext& context,
                         const std::string& file);

/// Name of the format that matches a text's content. Throws InputError if none matches, or if two match and read it
/// differently.
std::string recognise_rank_map(std::string_view text, const std::string& file, const RankMapContext& context);

/// Reads a map file ("-": standard input). An empty `format` means detection by content. Throws InputError for a wrong
/// number of ranks, nodes outside the job and nodes with too many ranks, naming file, line and rank.
Mapping read_rank_map(const std::string& path, const std::string& format, const RankMapContext& context);

/// Reads a map from a text. Errors name `file`.
Mapping parse_rank_map(std::string_view text, const std::string& file, const std::string& format,
                       const RankMapContext& context);

/// The problems of a map that were found by reading its records one by one.
struct MapFindings {
    std::string format;
    std::int64_t rank_count = 0;
    std::int32_t most_ranks_on_a_node = 0;
    MapProblems problems;
};

/// Like parse_rank_map, but collects problems. Throws only errors that do not concern the text: OptionError and
/// UnsupportedError.
MapFindings examine_rank_map(std::string_view text, const std::string& file, const std::string& format,
                             RankMapContext context);

/// The options for a PJM job script with a `fujitsu` map, one per line. Empty if the machine is not a Tofu or PJM does
/// not support the fold.
std::string pjm_options(const Mapping& mapping, const RankMapContext& context, const std::string& map_file);

}  // namespace haichi
