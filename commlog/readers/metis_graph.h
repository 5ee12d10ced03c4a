#pragma once

#include <cstdint>
#include <string_view>

#include "commlog/readers/trace_lines.h"

namespace haichi {

/// The first line of a METIS graph: vertices, edges, and optionally a format of three digits and the number of weights
/// of each vertex.
struct MetisHeader {
    std::int64_t vertices = 0;
    std::int64_t edges = 0;
    bool has_vertex_sizes = false;
    std::int64_t vertex_weights = 0;  ///< numbers before the neighbours, besides the size
    bool has_edge_weights = false;

    /// Numbers at the beginning of the line of a vertex that are not neighbours.
    [[nodiscard]] std::int64_t leading_numbers() const { return (has_vertex_sizes ? 1 : 0) + vertex_weights; }
    /// Numbers for each neighbour.
    [[nodiscard]] std::int64_t numbers_per_edge() const { return has_edge_weights ? 2 : 1; }
};

/// Moves to the next line that is not a comment ("%"). Lines without fields are vertices without neighbours.
[[nodiscard]] bool next_metis_line(TraceLines& lines);

/// Whether a text is a METIS graph, judged by all lines of its beginning.
enum class MetisEvidence {
    kNone,    ///< no header, or a different number of lines
    kHeader,  ///< the header states the number of lines, but one of them cannot be a vertex
    kLines,   ///< every line fits, but not every edge is listed at both of its ends, or the number of edges differs
    kCertain  ///< every edge is listed at both of its ends
};
/// `prefix` is the whole text if `is_all` is true.
MetisEvidence metis_evidence(std::string_view prefix, bool is_all);

}  // namespace haichi
