#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// Returns the text of a list before its next comma outside brackets. `list` keeps the text after the comma.
std::string_view next_host_entry(std::string_view& list);

/// Whether the value of an option is a list of names instead of a file. A list contains a comma, bracket or brace, and
/// no file with this name exists.
bool looks_like_host_list(const std::string& value);

/// The names of a list, in order. Examples are "c1-032,c2-002", "n[1-3,11]", "n[1-9:2]" with a step, and "n{1..3}" or
/// "{a,b}1" with braces. If a name has several ranges, the last one varies fastest. Throws InputError at `place` for
/// invalid lists, invalid host names, and more than `most` names. O(names).
std::vector<std::string> expand_host_list(std::string_view list, std::int64_t most, const SourcePlace& place);

/// Whether `name` has at most 255 characters, all of which are letters, digits, "-", "_" or ".", and begins with a
/// letter or digit.
bool is_host_name(std::string_view name);

/// Throws InputError at `place` for a name with characters other than letters, digits, "-", "_" and ".", or with more
/// than 255 characters.
void check_host_name(std::string_view name, const SourcePlace& place);

/// The number, with leading zeros up to `digits` digits.
std::string padded_number(std::int64_t number, std::size_t digits);

}  // namespace haichi
