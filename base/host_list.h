#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// Returns the part of a list before its next comma outside brackets. `list` keeps the part after the comma.
std::string_view next_host_entry(std::string_view& list);

/// Whether the value of an option is a list of names instead of a file. A list has a comma, bracket or brace, and no
/// file has its name.
bool looks_like_host_list(const std::string& value);

/// The names of a list, in order: "c1-032,c2-002", "n[1-3,11]", steps "n[1-9:2]", and braces "n{1..3}" or "{a,b}1". If
/// a name has several ranges, the last one is the fastest. Throws InputError at `place` for invalid lists, for invalid
/// host names, and for more than `most` names. O(names).
std::vector<std::string> expand_host_list(std::string_view list, std::int64_t most, const SourcePlace& place);

/// Whether a name has only letters, digits, "-", "_" and ".", starts with a letter or digit, and has at most 255
/// characters.
bool is_host_name(std::string_view name);

/// Throws InputError at `place` for a name with other characters than letters, digits, "-", "_" and ".", or more than
/// 255.
void check_host_name(std::string_view name, const SourcePlace& place);

/// The number with leading zeros up to this number of digits.
std::string padded_number(std::int64_t number, std::size_t digits);

}  // namespace haichi
