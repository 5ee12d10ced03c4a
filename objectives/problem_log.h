#pragma once

#include "base/log.h"
#include "objectives/problem.h"

namespace haichi {

/// Logs which tables a problem keeps, which tables exceed their budgets and what replaces them, and how messages on
/// links are counted.
void log_tables(const Problem& problem, const Log& log);

}  // namespace haichi
