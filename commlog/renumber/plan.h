#pragma once

#include <string>
#include <vector>

namespace haichi::renumber {

/// The coordinates of a node.
using Coordinates = std::vector<int>;

inline constexpr std::size_t kMostAxes = 12;

/// Data about a process, which is indexed by its rank on the machine.
struct Process {
    std::string host;
    Coordinates node;  ///< empty if unknown
};

/// Sets the coordinates of all processes from a table whose lines are "HOST X Y Z ..." or "rank R X Y Z ...". Throws
/// InputError that states file and line.
void read_coordinate_table(const std::string& path, std::vector<Process>& processes);

/// Returns 1 + the largest coordinate on each axis; coordinates begin at 0. Throws InputError if coordinates are
/// unknown.
Coordinates shape_of(const std::vector<Process>& processes);

/// Formats a shape, such as "1x2x4x2x3x2".
std::string shape_text(const Coordinates& shape);
/// Parses a shape in this form; throws InputError.
Coordinates parse_shape(const std::string& text);

/// Returns the rank map file for a shape: `maps` with {shape} replaced, or SHAPE.map or SHAPE.json in the directory
/// `maps`. Throws InputError if the file does not exist.
std::string map_file(const std::string& maps, const Coordinates& shape);

/// Returns the rank in the program of each process, such that every rank runs on the node that the rank map states. If
/// a node has several ranks, ranks with lower rank slots go to processes with lower ranks on the machine. If the rank
/// map does not state slots, lower ranks go to these processes. The rank map may have the format tofu6d or
/// haichi-mapping/1. Throws InputError that states file and line if the rank map does not fit the job.
std::vector<int> program_ranks(const std::vector<Process>& processes, const Coordinates& shape,
                               const std::string& map_path);

}  // namespace haichi::renumber
