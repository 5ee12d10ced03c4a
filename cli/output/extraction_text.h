#pragma once

#include <string>

#include "commlog/ccs/extraction.h"

namespace haichi::cli {

/// The extracted sets for the terminal, as whole lines.
std::string extraction_text(const Extraction& extraction);

}  // namespace haichi::cli
