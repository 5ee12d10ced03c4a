#pragma once

#include "mapper/advise/barrier.h"
#include "mapper/advise/shape.h"
#include "mapper/advise/spread.h"
#include "options/option_table.h"

namespace haichi {

/// All options of an advisor beside those of the job, the answer's output and the rank map.
void declare_advice(OptionTable& options, ShapeAdviceOptions& advice);
void declare_advice(OptionTable& options, SpreadAdviceOptions& advice);
void declare_advice(OptionTable& options, BarrierAdviceOptions& advice);

}  // namespace haichi
