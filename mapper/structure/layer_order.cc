#include "mapper/structure/layer_order.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "mapper/structure/disjoint_sets.h"

namespace haichi {

std::vector<LayerBytes> summed(std::vector<LayerBytes> bytes) {
    for (LayerBytes& each : bytes) {
        if (each.a > each.b) std::swap(each.a, each.b);
    }
    std::ranges::sort(bytes, {}, [](const LayerBytes& each) { return std::pair(each.a, each.b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (kept > 0 && bytes[kept - 1].a == bytes[i].a && bytes[kept - 1].b == bytes[i].b) {
            bytes[kept - 1].bytes += bytes[i].bytes;
        } else {
            bytes[kept++] = bytes[i];
        }
    }
    bytes.resize(kept);
    return bytes;
}

std::vector<std::int32_t> position_of_layers(std::int32_t count, std::vector<LayerBytes> bytes) {
    constexpr std::int32_t kNone = -1;
    std::ranges::sort(bytes, {}, [](const LayerBytes& each) { return std::tuple(-each.bytes, each.a, each.b); });
    std::vector<std::array<std::int32_t, 2>> next(static_cast<std::size_t>(count), {kNone, kNone});
    const auto free_end = [&](std::int32_t layer) -> std::int32_t* {
        for (std::int32_t& end : next[static_cast<std::size_t>(layer)]) {
            if (end == kNone) return &end;
        }
        return nullptr;
    };
    DisjointSets chains(static_cast<std::size_t>(count));
    for (const LayerBytes& each : bytes) {
        std::int32_t* from = free_end(each.a);
        std::int32_t* to = free_end(each.b);
        if (from == nullptr || to == nullptr || chains.find(each.a) == chains.find(each.b)) continue;
        *from = each.b;
        *to = each.a;
        chains.join(each.a, each.b);
    }
    std::vector<std::int32_t> position(static_cast<std::size_t>(count), kNone);
    std::int32_t taken = 0;
    for (std::int32_t start = 0; start < count; ++start) {
        // Starts each chain at a free end. There are no closed chains.
        if (position[static_cast<std::size_t>(start)] != kNone || free_end(start) == nullptr) continue;
        std::int32_t at = start;
        while (at != kNone) {
            position[static_cast<std::size_t>(at)] = taken++;
            const auto& ends = next[static_cast<std::size_t>(at)];
            at = kNone;
            for (const std::int32_t end : ends) {
                if (end != kNone && position[static_cast<std::size_t>(end)] == kNone) at = end;
            }
        }
    }
    return position;
}

}  // namespace haichi
