#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapper/choose/map_shapes.h"

namespace haichi::cli {

/// A number with at most six significant digits: "0.00083886", "1.2e+09".
std::string short_number(double value);

/// A number of bytes, hops or their products. If it is an integer below 10^15, it has thousands separators:
/// "1,048,576". Otherwise it is formatted as in short_number().
std::string count_text(double value);

/// An integer with thousands separators.
std::string whole_text(std::uint64_t count);

/// A count with its noun: "3 ranks", "1 rank".
std::string counted_text(std::uint64_t count, const std::string& word);

/// Formats cells as left-aligned columns, two blanks apart. Each row is a line that begins with `indent`.
/// `right_aligned` lists the columns with numbers.
std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view indent,
                  std::span<const std::size_t> right_aligned = {});

/// Formats one entry per line, with its name and its wrapped description.
std::string definition_list(const std::vector<std::pair<std::string, std::string>>& entries);

/// The contention of each set, as in "1 1 2 1". For more than 16 sets, the number of sets with each contention, as in
/// "1 in 120 sets, 2 in 4 sets".
std::string contention_text(const std::vector<std::int64_t>& set_contention);

/// The difference in per cent, as in "33.3 % lower than the default placement".
std::string comparison_text(double value, double default_value);

/// Describes a job, as in "64 ranks on 96 nodes of fx10-kyushu, shape 1x2x4x2x3x2 (logical 2x6x8), routing
/// dor:XYZACB,tie=+, fold default".
std::string job_line(const Job& job);

/// Describes simulated times, as in "1.03 s for 1,000 iterations, 33.3 % lower than the default placement (1.545 s)".
std::string simulated_text(const SimulatedPlacement& simulated);

/// The summary that `map` prints on the terminal.
std::string map_summary(const Evaluation& evaluation, bool with_timing);
/// The values of a robust placement on all shapes, for standard error.
std::string robust_summary(const ShapesReport& report);

/// The output of `evaluate`.
std::string evaluation_text(const Evaluation& evaluation);

}  // namespace haichi::cli
