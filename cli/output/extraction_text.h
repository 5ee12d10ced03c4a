#pragma once

#include <string>

#include "commlog/ccs/extraction.h"

namespace haichi::cli {

/// What was found, for people; whole lines.
std::string extraction_text(const Extraction& extraction);

}  // namespace haichi::cli
