#include "base/new_file_mode.h"

#include <cstdio>

namespace haichi {

mode_t new_file_mode() {
    constexpr mode_t kUsualMask = 022;
    unsigned mask = kUsualMask;
    if (std::FILE* const status = std::fopen("/proc/self/status", "re"); status != nullptr) {
        char line[256];
        while (std::fgets(line, sizeof(line), status) != nullptr) {
            if (std::sscanf(line, "Umask: %o", &mask) == 1) break;
        }
        std::fclose(status);
    }
    return 0666 & ~static_cast<mode_t>(mask);
}

}  // namespace haichi
