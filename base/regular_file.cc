#include "base/regular_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/errors.h"

namespace haichi {

void check_regular_file(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw InputError("cannot read " + path + ": " + std::strerror(errno));
    if (S_ISREG(status.st_mode)) return;
    const char* const what = S_ISDIR(status.st_mode)    ? "a directory"
                             : S_ISFIFO(status.st_mode) ? "a pipe"
                             : S_ISSOCK(status.st_mode) ? "a socket"
                                                        : "a device";
    throw InputError(path + ": expected a regular file, found " + what);
}

}  // namespace haichi
