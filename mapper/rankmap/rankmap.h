#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "netmodel/machine/allocation.h"
#include "objectives/mapping.h"

namespace haichi {

/// What writers and readers of rank maps need besides the mapping.
struct RankMapContext {
    const Allocation* allocation = nullptr;
    /// Ranks that a file being read must have; 0: as many as it has.
    std::int32_t rank_count = 0;
};

/// What a reader found: the node of each rank, and the line that says so.
struct PlacedRanks {
    std::vector<NodeId> node_of_rank;
    std::vector<std::uint32_t> line_of_rank;
};

/// A rank-map file format: one file in this folder and one row in the table.
struct RankMapFormat {
    std::string name;
    std::string description;  ///< one sentence: used with what, content of a line
    /// Throws UnsupportedError when no mapping of this job can be written; to be called before a long run.
    void (*check)(const Allocation& allocation) = nullptr;
    /// The whole file. Throws as check() does.
    std::string (*write)(const Mapping& mapping, const RankMapContext& context) = nullptr;
    /// Throws InputError with file and line; the caller checks node capacities. O(length of the text).
    PlacedRanks (*read)(std::string_view text, const std::string& file, const RankMapContext& context) = nullptr;
};

const std::vector<RankMapFormat>& rank_map_formats();

/// Throws OptionError with did-you-mean.
const RankMapFormat& rank_map_format(std::string_view name);

/// The format for users who name none: `fujitsu` where the job has logical coordinates, else `json`.
const RankMapFormat& default_rank_map_format(const Allocation& allocation);

/// Name of the format a text seems to be in, by its content (JSON, parentheses, number of columns); throws InputError
/// when it fits none, or fits two that read it differently.
std::string recognise_rank_map(std::string_view text, const std::string& file, const RankMapContext& context);

/// Reads a map file ("-": standard input); `format` empty: recognised by content. Throws InputError for a wrong number
/// of ranks, nodes outside the job and nodes with too many ranks, naming file, line and rank.
Mapping read_rank_map(const std::string& path, const std::string& format, const RankMapContext& context);

/// The same from a text; `file` names it in errors.
Mapping parse_rank_map(std::string_view text, const std::string& file, const std::string& format,
                       const RankMapContext& context);

/// The options to paste into a PJM job script beside a `fujitsu` map, one per line; empty when the machine is no Tofu
/// or PJM does not know the fold.
std::string pjm_options(const Mapping& mapping, const RankMapContext& context, const std::string& map_file);

}  // namespace haichi
