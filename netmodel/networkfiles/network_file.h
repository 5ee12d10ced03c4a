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

/// The text of a network file, and the other data that its reader needs.
struct NetworkText {
    std::string_view text;
    const std::string& file;  ///< the text's name for errors
    /// Bandwidth of links for which the file states none, if the machine states a bandwidth.
    std::optional<std::int64_t> default_bandwidth_bytes_per_s;
    std::vector<std::string>& notes;  ///< assumptions of the reader, one statement each

    /// The default bandwidth. If there is none, returns 100 Gbit/s and adds a note.
    [[nodiscard]] std::int64_t assumed_bandwidth() const;
};

/// A file that describes a network or a node in the format of another program.
struct NetworkFileRow {
    std::string name;      ///< "slurm", as in slurm:FILE
    std::string sentence;  ///< description for listings
    std::string noun;      ///< for messages: "a Slurm topology file"
    bool (*recognise)(std::string_view text) = nullptr;
    /// Throws InputError with file and line. Null for a format that is recognised only to name it in an error.
    Graph (*read)(const NetworkText& text) = nullptr;
    std::string instead{};  ///< hint for such a format: another way to describe the machine
};

/// All formats of network files, in the order in which a text is compared with them.
const Table<NetworkFileRow>& network_files();

/// The format of a text; null if no format matches.
const NetworkFileRow* recognised_network_file(std::string_view text);

/// Recognises the format of the text and reads it. Throws InputError for a format that is only recognised and for a
/// text of no known format; `otherwise` is the hint for the latter.
Graph read_network(const NetworkText& text, const std::string& otherwise);

/// Largest accepted network file, as large as for XML texts.
inline constexpr std::size_t kLargestNetworkFileBytes = std::size_t{64} << 20;

}  // namespace haichi
