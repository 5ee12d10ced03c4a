#include "commlog/log/read_sites.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "commlog/log/record_checks.h"

namespace haichi {

namespace {

constexpr std::uint64_t kField = 0xffff;

Module module_of(const ModuleEntry& entry) {
    Module module{text_of(entry.path), ""};
    constexpr char kDigits[] = "0123456789abcdef";
    const std::size_t size = std::min<std::size_t>(entry.build_id_size, sizeof(entry.build_id));
    for (std::size_t i = 0; i < size; ++i) {
        module.build_id += kDigits[entry.build_id[i] >> 4];
        module.build_id += kDigits[entry.build_id[i] & 15];
    }
    return module;
}

/// Maps function indices of the part to indices in the profile, which is sorted and has only functions that were
/// called.
std::vector<std::uint32_t> function_places(const ProfileMemory& memory, const RankProfile& profile) {
    const auto none = static_cast<std::uint32_t>(profile.functions.size());
    std::vector<std::uint32_t> places(memory.header.function_count, none);
    for (std::uint32_t f = 0; f < memory.header.function_count; ++f) {
        const std::string name = text_of(memory.header.function_names[f]);
        const auto found = std::ranges::lower_bound(profile.functions, name, {}, &FunctionProfile::name);
        if (found == profile.functions.end() || found->name != name) continue;
        places[f] = static_cast<std::uint32_t>(found - profile.functions.begin());
    }
    return places;
}

/// A sort key for call sites that does not depend on threads or tables.
auto order_of(const SiteProfile& s) { return std::tuple(s.module, s.offset, s.function, s.communicator, s.region); }

void add(SiteProfile& sum, const SiteProfile& more) {
    sum.seconds_min = std::min(sum.seconds_min, more.seconds_min);
    sum.seconds_max = std::max(sum.seconds_max, more.seconds_max);
    sum.calls += more.calls;
    sum.seconds_total += more.seconds_total;
    sum.sent_bytes += more.sent_bytes;
    sum.received_bytes += more.received_bytes;
}

}  // namespace

void read_sites(const ProfileMemory& memory, std::uint32_t threads, RankProfile& profile, const std::string& place) {
    const ProfileHeader& h = memory.header;
    const double tick = 1.0 / h.ticks_per_second;
    for (std::uint32_t m = 0; m < h.module_count; ++m) profile.modules.push_back(module_of(memory.modules[m]));
    for (std::uint32_t r = 0; r < h.region_count; ++r) {
        profile.regions.push_back({text_of(memory.regions[r].name), 0, 0});
    }
    const std::vector<std::uint32_t> functions = function_places(memory, profile);
    for (std::uint32_t t = 0; t < threads; ++t) {
        const ThreadMemory& thread = memory.threads[t];
        profile.lost_site_calls += thread.lost_site_calls;
        profile.lost_regions += thread.lost_regions;
        for (std::uint32_t r = 0; r < h.region_count; ++r) {
            profile.regions[r].entries += thread.regions[r].entries;
            profile.regions[r].seconds += static_cast<double>(thread.regions[r].ticks_total) * tick;
        }
        for (const CallSite& site : thread.sites) {
            if (site.key == 0 || site.calls == 0) continue;
            const auto function = static_cast<std::uint32_t>((site.key & kField) - 1);
            // The process was killed between the increments of the two counters.
            if (function >= functions.size() || functions[function] == profile.functions.size()) continue;
            SiteProfile row;
            row.function = functions[function];
            row.communicator = static_cast<std::uint32_t>(site.key >> 16 & kField);
            row.region = static_cast<std::uint32_t>(site.key >> 32 & kField);
            row.module = static_cast<std::uint32_t>(site.key >> 48);
            if (h.has_call_sites == 0) {
                row.module = kNoModule;
            } else if (row.module < h.module_count) {
                row.offset = site.address - memory.modules[row.module].bias;
            } else {
                row.module = kNoModule;
                row.offset = site.address;
            }
            row.calls = site.calls;
            row.seconds_total = static_cast<double>(site.ticks_total) * tick;
            row.seconds_min = static_cast<double>(site.ticks_min) * tick;
            row.seconds_max = static_cast<double>(site.ticks_max) * tick;
            row.sent_bytes = site.sent_bytes;
            row.received_bytes = site.received_bytes;
            profile.sites.push_back(row);
        }
    }
    std::ranges::sort(profile.sites, {}, order_of);
    std::vector<SiteProfile> joined;
    for (const SiteProfile& site : profile.sites) {
        if (!joined.empty() && order_of(joined.back()) == order_of(site)) {
            add(joined.back(), site);
        } else {
            joined.push_back(site);
        }
    }
    profile.sites = std::move(joined);
    check_sites(profile, h.communicator_count, place);
}

void check_sites(const RankProfile& profile, std::size_t communicators, const std::string& place) {
    for (const SiteProfile& site : profile.sites) {
        if (site.module != kNoModule && site.module >= profile.modules.size())
            fail_record(place, "calls from an unknown module");
        if (site.function >= profile.functions.size()) fail_record(place, "calls of an unknown function");
        if (site.region > profile.regions.size()) fail_record(place, "calls in an unknown region");
        if (site.communicator >= communicators && site.communicator != kUnknownCommunicator &&
            site.communicator != kNoCommunicator) {
            fail_record(place, "unknown communicator: " + std::to_string(site.communicator) + " (the rank has " +
                                   std::to_string(communicators) + ")");
        }
    }
}

}  // namespace haichi
