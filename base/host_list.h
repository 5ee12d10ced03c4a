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

/// The names of a list with ranges, in order. Throws InputError at `place` for invalid lists, for invalid host names,
/// and for more than `most` names. O(names).
std::vector<std::string> expand_host_list(std::string_view list, std::int64_t most, const SourcePlace& place);

/// Throws InputError at `place` for a name with other characters than letters, digits, "-", "_" and ".", or more than
/// 255.
void check_host_name(std::string_view name, const SourcePlace& place);

/// The number with leading zeros up to this number of digits.
std::string padded_number(std::int64_t number, std::size_t digits);

}  // namespace haichi
