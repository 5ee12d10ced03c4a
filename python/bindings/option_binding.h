#pragma once

#include <pybind11/pybind11.h>

#include "options/option_table.h"

namespace haichi {

/// Gives the table what a Python function was given by keywords, as {"message_size": 8192}: names have underscores,
/// None is not given, and a value is the word of the program or what stands for it by the kind: a number, a sequence.
/// Throws OptionError that names the parameter. Words are the program's: what is wrong there is wrong here.
void take_all(OptionTable& options, const pybind11::dict& given);

}  // namespace haichi
