#pragma once

#include <cstdint>
#include <string_view>

#include "commlog/readers/trace_lines.h"

namespace haichi {

/// The first line of a METIS graph: the numbers of vertices and edges. A format of three digits and the number of
/// weights per vertex may follow.
struct MetisHeader {
    std::int64_t vertices = 0;
    std::int64_t edges = 0;
    bool has_vertex_sizes = false;
    std::int64_t vertex_weights = 0;  ///< number of weights before the neighbours
    bool has_edge_weights = false;

    /// How many numbers precede the neighbours in the line of a vertex.
    [[nodiscard]] std::int64_t leading_numbers() const { return (has_vertex_sizes ? 1 : 0) + vertex_weights; }
    /// How many numbers there are for each neighbour.
    [[nodiscard]] std::int64_t numbers_per_edge() const { return has_edge_weights ? 2 : 1; }
};

/// Moves to the next line that is not a comment ("%"). A line without fields is a vertex without neighbours.
[[nodiscard]] bool next_metis_line(TraceLines& lines);

/// The evidence that a text is a METIS graph, based on all lines of its beginning.
enum class MetisEvidence {
    kNone,    ///< there is no header, or the number of lines differs from it
    kHeader,  ///< the header fits the number of lines, but one of them cannot be the line of a vertex
    kLines,   ///< all lines fit, but an edge is listed only at one end, or the number of edges differs from the header
    kCertain  ///< all lines fit, and every edge is listed at both of its ends
};
/// `is_all` means that `prefix` is the whole text.
MetisEvidence metis_evidence(std::string_view prefix, bool is_all);

}  // namespace haichi
