#pragma once

#include <atomic>

namespace haichi::cli {

/// While one exists, the first SIGINT or SIGTERM sets a flag, so that a search ends with the best so far, and the
/// second ends the program at once with exit code 130. At most one at a time: signals are the process's.
class InterruptWatch {
  public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

    [[nodiscard]] static const std::atomic<bool>& flag();
};

/// Makes writes to a closed pipe fail instead of killing the program, and makes sure that descriptors 0 to 2 are open,
/// so that no output file gets the number of a closed standard output.
void prepare_process();

}  // namespace haichi::cli
