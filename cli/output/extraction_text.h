#pragma once

#include <string>

#include "commlog/ccs/extraction.h"

namespace haichi::cli {

/// Describes the extracted sets for the terminal, in whole lines.
std::string extraction_text(const Extraction& extraction);

}  // namespace haichi::cli
