#include "mgen/remote_access.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace haichi {

std::string Arrivals::text() const {
    constexpr std::size_t kMost = 3;
    if (!counts_ || counts_->empty()) return "";
    std::vector<std::pair<std::int32_t, std::uint32_t>> counts(counts_->begin(), counts_->end());
    std::ranges::sort(counts);
    std::string text = "; arrived puts:";
    for (std::size_t k = 0; k < std::min(counts.size(), kMost); ++k) {
        text +=
            (k == 0 ? " " : ", ") + std::to_string(counts[k].second) + " with tag " + std::to_string(counts[k].first);
    }
    if (counts.size() > kMost) text += " and others";
    return text;
}

}  // namespace haichi
