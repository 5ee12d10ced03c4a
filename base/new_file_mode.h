#pragma once

#include <sys/types.h>

namespace haichi {

/// The mode of a file that this process makes without asking for one, 0666 less the umask; 0644 where that cannot be
/// told. Does not change the umask to learn it, as umask() does: other threads make files, too.
mode_t new_file_mode();

}  // namespace haichi
