#pragma once

/// \file
/// All headers of haichi.

#include <haichi/error.h>
#include <haichi/evaluation.h>
#include <haichi/job.h>
#include <haichi/machine.h>
#include <haichi/map.h>
#include <haichi/objective.h>
#include <haichi/placement.h>
#include <haichi/simulation.h>
#include <haichi/topology.h>
#include <haichi/workload.h>

HAICHI_BEGIN

/// The version of the library, such as "0.1.0".
HAICHI_EXPORT const char* version();

HAICHI_END
