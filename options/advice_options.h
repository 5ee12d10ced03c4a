#pragma once

#include "mapper/advise/barrier.h"
#include "mapper/advise/shape.h"
#include "mapper/advise/spread.h"
#include "options/option_table.h"

namespace haichi {

/// Declares the options of an advisor, except those of the job, of the output and of the rank map.
void declare_advice(OptionTable& options, ShapeAdviceOptions& advice);
void declare_advice(OptionTable& options, SpreadAdviceOptions& advice);
void declare_advice(OptionTable& options, BarrierAdviceOptions& advice);

}  // namespace haichi
