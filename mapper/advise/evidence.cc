#include "mapper/advise/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace haichi {

namespace {

std::string formatted(const char* format, double value, const char* unit) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value, unit);
    return text.data();
}

}  // namespace

TimeSpread spread_of(std::span<const SimulatedTime> times) {
    double sum = 0;
    double lowest = times.front().seconds;
    double highest = lowest;
    double tolerance = 0;
    for (const SimulatedTime& time : times) {
        sum += time.seconds;
        lowest = std::min(lowest, time.seconds);
        highest = std::max(highest, time.seconds);
        tolerance = std::max(tolerance, time.tolerance_seconds);
    }
    return {sum / static_cast<double>(times.size()), (highest - lowest) / 2 + tolerance};
}

std::string why_times_mean_nothing(const Machine& machine) {
    std::vector<std::string> missing;
    if (!machine.packet_payload_bytes) missing.emplace_back("packet.payload");
    const Machine::Router& router = machine.router;
    const bool has_latency = machine.cable_latency_ps || router.switch_latency_ps || router.routing_time_ps ||
                             router.vc_allocation_time_ps || router.switch_allocation_time_ps;
    if (!has_latency) missing.emplace_back("router.switch_latency");
    if (!machine.node.mpi_call_overhead_ps) missing.emplace_back("node.mpi_call_overhead");
    if (missing.empty()) return "";
    return "machine " + machine.name + " does not state " + listed(missing) +
           ", without which simulated times are meaningless";
}

std::string listed(std::span<const std::string> words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text.append(i == 0 ? "" : i + 1 == words.size() ? " and " : ", ").append(words[i]);
    }
    return text;
}

std::string duration_text(double seconds) {
    const double size = std::abs(seconds);
    if (size >= 1 || size == 0) return formatted("%.4g %s", seconds, "s");
    if (size >= 1e-3) return formatted("%.4g %s", seconds * 1e3, "ms");
    return formatted("%.4g %s", seconds * 1e6, "us");
}

std::string rough_duration_text(double seconds) {
    if (seconds == 0) return duration_text(seconds);
    const double unit = std::pow(10, std::floor(std::log10(std::abs(seconds))) - 1);
    return duration_text(std::round(seconds / unit) * unit);
}

std::string factor_text(double factor) { return formatted(factor < 100 ? "%.3g%s" : "%.0f%s", factor, ""); }

std::string percent_text(double share) { return formatted("%.1f %s", share * 100, "%"); }

}  // namespace haichi
