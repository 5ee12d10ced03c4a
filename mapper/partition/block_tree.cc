#include "mapper/partition/block_tree.h"

#include <algorithm>
#include <optional>

namespace haichi {

namespace {

/// The class of each node, or nothing if "at most `threshold` apart" is not an equivalence.
std::optional<std::vector<std::int32_t>> near_classes(std::span<const std::int32_t> distances, std::size_t count,
                                                      std::int32_t threshold) {
    std::vector<std::int32_t> class_of(count, -1);
    std::int32_t classes = 0;
    for (std::size_t a = 0; a < count; ++a) {
        const bool is_new = class_of[a] < 0;
        for (std::size_t b = 0; b < count; ++b) {
            const bool is_near = a == b || distances[a * count + b] <= threshold;
            if (is_new && is_near) {
                if (class_of[b] >= 0) return {};
                class_of[b] = classes;
            } else if (!is_new && is_near != (class_of[b] == class_of[a])) {
                return {};
            }
        }
        if (is_new) ++classes;
    }
    return class_of;
}

/// The number of parts, at most `most`, for `count` groups: a divisor of `count` if possible.
std::size_t part_count(std::size_t count, std::size_t most) {
    if (count <= most) return count;
    for (std::size_t parts = most; parts > 1; --parts) {
        if (count % parts == 0) return parts;
    }
    return 2;
}

}  // namespace

BlockTree block_tree(std::span<const std::int32_t> distances, std::size_t count) {
    std::vector<std::int32_t> thresholds(distances.begin(), distances.end());
    std::ranges::sort(thresholds);
    thresholds.erase(std::ranges::unique(thresholds).begin(), thresholds.end());
    std::erase(thresholds, 0);
    BlockTree tree;
    for (const std::int32_t threshold : thresholds) {
        auto class_of = near_classes(distances, count, threshold);
        if (class_of) tree.levels.push_back(std::move(*class_of));
    }
    tree.is_complete = tree.levels.size() == thresholds.size();
    return tree;
}

std::vector<std::vector<std::int32_t>> BlockTree::split(std::span<const std::int32_t> nodes, std::size_t most) const {
    std::vector<std::vector<std::int32_t>> groups;
    for (std::size_t level = levels.size() + 1; level > 0 && groups.size() < 2; --level) {
        groups.clear();
        std::vector<std::int32_t> group_of_class;
        for (const std::int32_t node : nodes) {
            const std::int32_t own = level == 1 ? node : levels[level - 2][static_cast<std::size_t>(node)];
            const auto i = static_cast<std::size_t>(own);
            if (group_of_class.size() <= i) group_of_class.resize(i + 1, -1);
            if (group_of_class[i] < 0) {
                group_of_class[i] = static_cast<std::int32_t>(groups.size());
                groups.emplace_back();
            }
            groups[static_cast<std::size_t>(group_of_class[i])].push_back(node);
        }
    }
    const std::size_t count = part_count(groups.size(), most);
    std::vector<std::vector<std::int32_t>> parts(count);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto& part = parts[g * count / groups.size()];
        part.insert(part.end(), groups[g].begin(), groups[g].end());
    }
    return parts;
}

}  // namespace haichi
