#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haichi {

/// A part of a picture: the links in it, and the form in which it shows them. Used for topologies without coordinates.
struct Panel {
    enum class Form : std::uint8_t {
        /// Pairs of vertices in rows. The upper half of a cell is the link to the vertex with the higher level or id.
        kPairs,
        kMatrix,   ///< one matrix of links from the row's group to the column's group
        kSquares,  ///< a square per group, of links from the row's vertex to the column's vertex
    };
    std::string title;
    std::string caption;
    Form form = Form::kPairs;
    /// The group of every vertex, counted from 0, for matrices and squares; -1 for a vertex without links in the panel.
    std::vector<std::int32_t> group_of_vertex{};
};

/// The picture of a topology. Every link is in one panel.
struct Drawing {
    std::vector<std::int32_t> level_of_vertex;  ///< 0 for terminals, at least 1 for routers
    std::vector<Panel> panels;
    std::vector<std::int32_t> panel_of_link;  ///< per link id; undefined for links that do not exist
};

}  // namespace haichi
