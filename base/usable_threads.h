#pragma once

namespace haichi {

/// Returns `wanted` if the system allows this process to start so many threads at the same time. Starts them once to
/// find out, because OpenMP ends the process if it fails to start a thread. Throws OptionError with the number that the
/// system allows.
int usable_threads(int wanted);

}  // namespace haichi
