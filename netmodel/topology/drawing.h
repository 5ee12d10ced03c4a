#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haichi {

/// Links that are drawn together, and how. What a picture needs to know of a topology that has no coordinates.
struct Panel {
    enum class Form : std::uint8_t {
        kPairs,    ///< pairs of vertices in rows: the upper half of each is the link to the higher level or number
        kMatrix,   ///< one matrix: from the group of the row to that of the column
        kSquares,  ///< a square per group: from the vertex of the row to that of the column
    };
    std::string title;
    std::string caption;
    Form form = Form::kPairs;
    /// Per vertex, for matrices and squares: its group, counted from 0; -1: no link of the panel ends here.
    std::vector<std::int32_t> group_of_vertex{};
};

/// What is drawn of a topology: every link is in one panel.
struct Drawing {
    std::vector<std::int32_t> level_of_vertex;  ///< 0 for terminals, from 1 for routers
    std::vector<Panel> panels;
    std::vector<std::int32_t> panel_of_link;  ///< per link number; that of links that do not exist means nothing
};

}  // namespace haichi
