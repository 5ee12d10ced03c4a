#include "mapper/rankmap/hosts.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/host_list.h"
#include "base/input_file.h"
#include "base/quantity.h"
#include "netmodel/machine/text_lines.h"

namespace haichi {

namespace {

constexpr std::size_t kLargestListBytes = std::size_t{512} << 20;

/// Expands "node%04d" for the numbers 0, 1, ...
std::vector<std::string> numbered_names(const std::string& pattern, std::int32_t nodes, const SourcePlace& place) {
    const auto percent = pattern.find('%');
    const auto end = pattern.find_first_not_of("0123456789", percent + 1);
    if (end == std::string::npos || pattern[end] != 'd' || pattern.find('%', end) != std::string::npos) {
        throw InputError(place, "expected one %d or, with zeros, %04d, found " + shown(pattern));
    }
    const std::string_view width = std::string_view(pattern).substr(percent + 1, end - percent - 1);
    if (!width.empty() && width.front() != '0') {
        throw InputError(place, "%" + std::string(width) + "d pads with blanks, which host names cannot have",
                         "write %0" + std::string(width) + "d");
    }
    constexpr std::int64_t kWidest = 9;
    const std::int64_t digits = width.empty() ? 0 : parse_count(width, kWidest, place);
    std::vector<std::string> names;
    for (std::int32_t i = 0; i < nodes; ++i) {
        names.push_back(pattern.substr(0, percent) + padded_number(i, static_cast<std::size_t>(digits)) +
                        pattern.substr(end + 1));
        check_host_name(names.back(), place);
    }
    return names;
}

void check_count(std::size_t names, std::int32_t nodes, const std::string& file) {
    if (names == static_cast<std::size_t>(nodes)) return;
    throw InputError(file + ": " + std::to_string(names) + (names == 1 ? " host name" : " host names") + " for the " +
                         std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") + " of the job",
                     "give one name per node, in the order of the nodes (row-major, or as listed by §nodes)");
}

}  // namespace

HostNames::HostNames(std::vector<std::string> names, const std::vector<SourcePlace>& places)
    : names_(std::move(names)) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const auto [first, is_new] = node_of_name_.try_emplace(names_[i], NodeId(static_cast<std::int32_t>(i)));
        if (is_new) continue;
        const SourcePlace& place = places[std::min(i, places.size() - 1)];
        const std::size_t line = places[std::min(first->second.index(), places.size() - 1)].line;
        throw InputError(place, "duplicate host name " + shown(names_[i]) +
                                    (line == 0 ? "" : ", first on line " + std::to_string(line)));
    }
}

HostNames HostNames::parse_list(std::string_view text, const std::string& file, std::int32_t nodes) {
    std::vector<std::string> names;
    std::vector<SourcePlace> places;
    std::size_t count = 0;
    // Names beyond the number of nodes are counted for the message. The limit is needed because a line with ranges can
    // have millions.
    const std::int64_t most = std::int64_t{2} * nodes + 1000 + std::ssize(text);
    for (TextLines lines(text, file); lines.next();) {
        const std::vector<std::string_view> words = lines.words(" \t\r");
        if (words.empty()) continue;
        const SourcePlace place{file, lines.number()};
        if (words.size() != 1) throw InputError(place, "expected one host name, found " + shown(lines.text()));
        std::vector<std::string> listed = expand_host_list(words[0], most - static_cast<std::int64_t>(count), place);
        count += listed.size();
        if (count > static_cast<std::size_t>(nodes)) continue;
        places.insert(places.end(), listed.size(), place);
        std::ranges::move(listed, std::back_inserter(names));
    }
    check_count(count, nodes, file);
    return {std::move(names), places};
}

HostNames HostNames::parse_pattern(const std::string& pattern, std::int32_t nodes) {
    const SourcePlace place{"§hosts", 0};
    if (pattern.find('%') != std::string::npos) return {numbered_names(pattern, nodes, place), {place}};
    std::vector<std::string> names = expand_host_list(pattern, nodes, place);
    check_count(names.size(), nodes, place.file);
    return {std::move(names), {place}};
}

HostNames HostNames::of(std::vector<std::string> names, std::int32_t nodes) {
    const SourcePlace place{"the list of host names", 0};
    for (const std::string& name : names) check_host_name(name, place);
    check_count(names.size(), nodes, place.file);
    return {std::move(names), {place}};
}

HostNames HostNames::read(const std::string& file_or_pattern, std::int32_t nodes) {
    const bool is_pattern = file_or_pattern.find('%') != std::string::npos || looks_like_host_list(file_or_pattern);
    if (is_pattern) return parse_pattern(file_or_pattern, nodes);
    if (file_or_pattern != "-" && access(file_or_pattern.c_str(), F_OK) != 0) {
        // A scheduler's node list for a single node is the node's name.
        if (nodes == 1 && is_host_name(file_or_pattern)) return parse_pattern(file_or_pattern, nodes);
        const int reason = errno;
        throw InputError(
            "cannot read " + file_or_pattern + ": " + std::strerror(reason),
            "give a file, or a list of " + std::to_string(nodes) + " names such as node1,node2 or node[1-8]");
    }
    return parse_list(input_text(file_or_pattern, kLargestListBytes), file_or_pattern, nodes);
}

NodeId HostNames::node(std::string_view name) const {
    const auto found = node_of_name_.find(std::string(name));
    return found == node_of_name_.end() ? NodeId() : found->second;
}

}  // namespace haichi
