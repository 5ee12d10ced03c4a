#pragma once

namespace haichi {

/// The `wanted` number of threads, which the system lets this process start at the same time. Starts them once to find
/// out, because OpenMP ends the process if it cannot. Throws OptionError with the number that the system allows.
int usable_threads(int wanted);

}  // namespace haichi
