#pragma once

#include "base/log.h"
#include "objectives/problem.h"

namespace haichi {

/// Logs which tables a problem keeps, which ones exceed their budgets, and the replacements of these. Also logs how
/// messages on links are counted.
void log_tables(const Problem& problem, const Log& log);

}  // namespace haichi
