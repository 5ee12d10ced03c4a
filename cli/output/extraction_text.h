#pragma once

#include <string>

#include "commlog/ccs/extraction.h"

namespace haichi::cli {

/// What was found, for people; whole lines.
std::string extraction_text(const Extraction& extraction);

/// `haichi-ccs/1` (docs/formats.md), one line.
std::string extraction_json(const Extraction& extraction);

}  // namespace haichi::cli
