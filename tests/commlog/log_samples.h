#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "commlog/log/job_log.h"

namespace haichi::log_samples {

/// Returns the path of a log in the test data.
inline std::string sample(const std::string& name) { return std::string(HAICHI_TEST_DATA) + "/logs/" + name; }

inline const FunctionProfile& function_of(const JobLog& log, std::size_t rank, const std::string& name) {
    const auto& functions = log.ranks.at(rank).profile.functions;
    const auto found = std::ranges::find(functions, name, &FunctionProfile::name);
    if (found == functions.end()) throw std::runtime_error("rank has no " + name);
    return *found;
}
inline PeerCounters traffic(const JobLog& log, std::size_t rank, std::int32_t peer) {
    for (const PeerTraffic& p : log.ranks.at(rank).profile.peers) {
        if (p.peer == peer) return p.traffic;
    }
    return {};
}
inline bool warns(const JobLog& log, const std::string& text) {
    return std::ranges::any_of(log.warnings, [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

}  // namespace haichi::log_samples
