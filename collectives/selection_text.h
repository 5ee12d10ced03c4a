#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "collectives/selection.h"

namespace haichi::collectives {

using SelectionLines = std::array<std::vector<SelectionLine>, kCollectives>;

/// Reads lines "OPERATION CONDITION... : ALGORITHM[(KEY=VALUE,...)]<SIZE ... ALGORITHM" and '#' comments. Throws
/// InputError with file and line.
SelectionLines read_selection_lines(std::string_view text, const std::string& file);

/// Reads a rule file of Open MPI (coll_tuned_dynamic_rules_filename). Throws InputError with file and line.
SelectionLines read_open_mpi_rules(std::string_view text, const std::string& file);

/// True if the text looks like a rule file of Open MPI: its first word is a number.
bool looks_like_open_mpi_rules(std::string_view text);

/// Parses "pipeline(segment=64KiB)" or "pipeline:64KiB".
SelectionChoice read_choice(CollectiveKind collective, std::string_view text, const SourcePlace& place);

/// Parses one choice or several. All but the last one have the sizes up to which they apply:
/// "recursive-doubling:2KiB,ring".
std::vector<SelectionChoice> read_choices(CollectiveKind collective, std::string_view text, const SourcePlace& place);

}  // namespace haichi::collectives
