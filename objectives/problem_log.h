#pragma once

#include "base/log.h"
#include "objectives/problem.h"

namespace haichi {

/// Tells which tables a problem keeps, which are above their budgets and what happens instead, and how messages on
/// links are counted.
void log_tables(const Problem& problem, const Log& log);

}  // namespace haichi
