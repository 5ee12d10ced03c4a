#pragma once

#include "commlog/ccs/extraction.h"
#include "options/option_table.h"

namespace haichi {

/// How communication sets are extracted from a log.
void declare_extraction(OptionTable& options, ExtractionOptions& extraction);

}  // namespace haichi
