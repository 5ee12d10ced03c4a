#pragma once

#include <sys/types.h>

namespace haichi {

/// The default mode of new files of this process: 0666 without the bits of the umask, or 0644 if the umask is unknown.
/// It does not call umask(), which would change the umask while other threads create files.
mode_t new_file_mode();

}  // namespace haichi
