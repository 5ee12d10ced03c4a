#pragma once

#include <pybind11/pybind11.h>

#include "options/option_table.h"

namespace haichi {

/// Passes keyword arguments of a Python function to the table, as {"message_size": 8192}. Names have underscores, and
/// None means not given. A value is a word or, depending on its kind, a number or a sequence. Throws OptionError
/// that names the parameter. The rules for words are those of the program.
void take_all(OptionTable& options, const pybind11::dict& given);

}  // namespace haichi
