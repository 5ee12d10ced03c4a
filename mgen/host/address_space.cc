#include "mgen/host/address_space.h"

#include <unistd.h>

#include <fstream>

namespace haichi::host {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t most_mappings() {
    constexpr std::size_t kOfLinux = 65530;
    std::size_t most = kOfLinux;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    return most;
}

}  // namespace haichi::host
