#pragma once

#include <string>
#include <vector>

namespace haichi::renumber {

/// Coordinates of a node.
using Coordinates = std::vector<int>;

inline constexpr std::size_t kMostAxes = 12;

/// What is known of a process, by its rank on the machine.
struct Process {
    std::string host;
    Coordinates node;  ///< empty: not known
};

/// Sets the coordinates of all processes by a table: lines "HOST X Y Z ..." or "rank R X Y Z ...". Throws InputError
/// with file and line.
void read_coordinate_table(const std::string& path, std::vector<Process>& processes);

/// The largest coordinate of each axis + 1; coordinates count from 0. Throws InputError where they are not known.
Coordinates shape_of(const std::vector<Process>& processes);

/// "1x2x4x2x3x2"
std::string shape_text(const Coordinates& shape);
/// Throws InputError.
Coordinates parse_shape(const std::string& text);

/// The file for a shape: `maps` with its {shape} filled in, or in the folder `maps` SHAPE.map or SHAPE.json. Throws
/// InputError when it is not there.
std::string map_file(const std::string& maps, const Coordinates& shape);

/// Rank of each process in the program, so that every rank runs on the node that the map says. Of several ranks on a
/// node those with lower places (or, where the map does not say, lower ranks) go to the lower processes. Reads tofu6d
/// and haichi-mapping/1. Throws InputError with file and line for maps that do not fit the job.
std::vector<int> program_ranks(const std::vector<Process>& processes, const Coordinates& shape,
                               const std::string& map_path);

}  // namespace haichi::renumber
