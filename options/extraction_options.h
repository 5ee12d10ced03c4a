#pragma once

#include "commlog/ccs/extraction.h"
#include "options/option_table.h"

namespace haichi {

/// Declares the options for extracting communication sets from a log.
void declare_extraction(OptionTable& options, ExtractionOptions& extraction);

}  // namespace haichi
