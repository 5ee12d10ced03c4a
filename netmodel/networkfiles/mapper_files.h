#pragma once

#include <string_view>

#include "netmodel/networkfiles/network_file.h"

namespace haichi {

/// Recognises target architectures of Scotch and TopoMatch (.tgt).
bool is_scotch_target(std::string_view text);
/// Reads `tleaf`, `cmplt`, `hcub`, `mesh2D`, `mesh3D`, `torus2D`, `torus3D`. A tleaf becomes a tree. The
/// bandwidth of its cables decreases with the cost of their level; the cheapest level has the assumed bandwidth. Throws
/// InputError for other architectures.
Graph read_scotch_target(const NetworkText& from);

/// Recognises topology files of LibTopoMap, which begin with "num: 6".
bool is_libtopomap(std::string_view text);
/// Reads a topology file of LibTopoMap. Vertices with one neighbour are nodes, the others are switches. If every vertex
/// has several neighbours, all are nodes. An edge weight is a number of parallel cables.
Graph read_libtopomap(const NetworkText& from);

/// Recognises anynet files of BookSim: "router 0 node 0 node 1 router 1 4".
bool is_booksim_anynet(std::string_view text);
/// Reads an anynet file. The numbers after a node or router are latencies in cycles, which are ignored with a note.
Graph read_booksim_anynet(const NetworkText& from);

}  // namespace haichi
