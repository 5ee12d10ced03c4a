#pragma once

#include <pybind11/pybind11.h>

#include "options/option_table.h"

namespace haichi {

/// Passes the keyword arguments of a Python function, such as {"message_size": 8192}, to the option table. Names have
/// underscores, and None means that the option is not given. A value is a word or, depending on its kind, a number or a
/// sequence. Throws OptionError, which names the parameter. Words must follow the rules of the command line.
void take_all(OptionTable& options, const pybind11::dict& given);

}  // namespace haichi
