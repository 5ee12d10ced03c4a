#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "netmodel/topology/graph.h"

namespace haichi {

/// The text of a network file, and what its reader needs besides.
struct NetworkText {
    std::string_view text;
    const std::string& file;  ///< the text's name for errors
    /// Bandwidth of links without a stated one, if the machine states it.
    std::optional<std::int64_t> default_bandwidth_bytes_per_s;
    std::vector<std::string>& notes;  ///< assumptions of the reader, one statement each

    /// The default bandwidth. Without one, 100 Gbit/s, which a note states.
    [[nodiscard]] std::int64_t assumed_bandwidth() const;
};

/// A file that describes a network or a node in the format of another program.
struct NetworkFileRow {
    std::string name;      ///< "slurm", as in slurm:FILE
    std::string sentence;  ///< description for listings
    std::string noun;      ///< for messages: "a Slurm topology file"
    bool (*recognise)(std::string_view text) = nullptr;
    /// Throws InputError with file and line. Null: recognised only, to refuse it by name.
    Graph (*read)(const NetworkText& text) = nullptr;
    std::string instead{};  ///< hint for a format that is only recognised: a way to a machine
};

/// All formats of network files, in the order in which a text is compared with them.
const Table<NetworkFileRow>& network_files();

/// The format of a text; null if it has none of them.
const NetworkFileRow* recognised_network_file(std::string_view text);

/// Reads the text with its recognised format. Throws InputError for a format that is only recognised and for a text of
/// no known format; `otherwise` is the hint for the latter.
Graph read_network(const NetworkText& text, const std::string& otherwise);

/// Largest accepted network file: as XML texts.
inline constexpr std::size_t kLargestNetworkFileBytes = std::size_t{64} << 20;

}  // namespace haichi
