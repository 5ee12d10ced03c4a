#pragma once

#include <cstdint>
#include <vector>

namespace haichi {

/// Bytes between two layers of an axis.
struct LayerBytes {
    std::int32_t a = 0;
    std::int32_t b = 0;
    std::int64_t bytes = 0;
};

/// Adds the bytes of equal pairs of layers. The result has a < b and is in ascending order.
std::vector<LayerBytes> summed(std::vector<LayerBytes> bytes);

/// The position of each layer in an order in which layers that exchange many bytes are neighbours. The order consists
/// of chains of the heaviest pairs, one after another. Exact for paths and rings.
std::vector<std::int32_t> position_of_layers(std::int32_t count, std::vector<LayerBytes> bytes);

}  // namespace haichi
