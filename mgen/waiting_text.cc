#include "mgen/waiting_text.h"

#include <algorithm>

#include "mgen/call.h"

namespace haichi {

namespace {

std::string tag_text(std::int32_t tag) { return tag == Call::kAnyTag ? "any tag" : "tag " + std::to_string(tag); }

}  // namespace

std::string receive_text(RankId source, std::int32_t tag, std::int64_t bytes) {
    const std::string from = source.valid() ? "rank " + std::to_string(source.value) : "any rank";
    return "a message from " + from + ", " + tag_text(tag) + ", at most " + std::to_string(bytes) + " bytes";
}

std::string send_text(RankId destination, std::int32_t tag, std::int64_t bytes) {
    return "rank " + std::to_string(destination.value) + " to receive a message, " + tag_text(tag) + ", " +
           std::to_string(bytes) + " bytes";
}

std::string list_text(const std::vector<std::string>& requests, std::uint32_t count) {
    constexpr std::size_t kMost = 3;
    std::string text;
    const std::size_t shown = std::min(requests.size(), kMost);
    for (std::size_t k = 0; k < shown; ++k) text += (k == 0 ? " " : ", and for ") + requests[k];
    if (count <= shown) return text;
    const std::size_t left = count - shown;
    text += (shown == 0 ? " " : ", and for ") + std::to_string(left) + (shown == 0 ? "" : " more");
    return text + (left == 1 ? " request" : " requests");
}

}  // namespace haichi
