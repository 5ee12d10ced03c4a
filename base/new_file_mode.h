#pragma once

#include <sys/types.h>

namespace haichi {

/// The default mode of a new file of this process: 0666 without the umask's bits, or 0644 if the umask is unknown. Does
/// not call umask(), which would change the umask while other threads create files.
mode_t new_file_mode();

}  // namespace haichi
