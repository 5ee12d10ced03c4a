#pragma once

#include <string>
#include <vector>

namespace haichi::renumber {

/// Coordinates of a node.
using Coordinates = std::vector<int>;

inline constexpr std::size_t kMostAxes = 12;

/// The data on a process, indexed by its rank on the machine.
struct Process {
    std::string host;
    Coordinates node;  ///< empty: unknown
};

/// Sets the coordinates of all processes from a table with lines "HOST X Y Z ..." or "rank R X Y Z ...". Throws
/// InputError with file and line.
void read_coordinate_table(const std::string& path, std::vector<Process>& processes);

/// Returns the largest coordinate of each axis + 1; coordinates count from 0. Throws InputError if they are unknown.
Coordinates shape_of(const std::vector<Process>& processes);

/// Formats a shape as "1x2x4x2x3x2".
std::string shape_text(const Coordinates& shape);
/// Throws InputError.
Coordinates parse_shape(const std::string& text);

/// Returns the file for a shape: `maps` with {shape} replaced, or SHAPE.map or SHAPE.json in the directory `maps`.
/// Throws InputError if the file does not exist.
std::string map_file(const std::string& maps, const Coordinates& shape);

/// Returns the rank of each process in the program, so that every rank runs on the node that the map states. If a node
/// has several ranks, those with lower rank slots go to the lower processes. If the map does not state slots, the lower
/// ranks do. Reads tofu6d and haichi-mapping/1. Throws InputError with file and line for maps that do not fit the job.
std::vector<int> program_ranks(const std::vector<Process>& processes, const Coordinates& shape,
                               const std::string& map_path);

}  // namespace haichi::renumber
