#include "collectives/trees.h"

#include <bit>
#include <cstdint>

#include "collectives/pieces.h"

namespace haichi::collectives {

TreePlace doubling_tree(int rank, int size, int root) {
    const Ring ring{root, size};
    const int number = ring.number_of(rank);
    const int above = static_cast<int>(std::bit_ceil(static_cast<unsigned>(number) + 1));
    TreePlace place;
    if (number > 0) place.parent = ring.rank_of(number - above / 2);
    for (std::int64_t distance = above; number + distance < size; distance *= 2) {
        place.children.push_back(ring.rank_of(number + static_cast<int>(distance)));
    }
    return place;
}

TreePlace binomial_tree(int rank, int size, int root) {
    const Ring ring{root, size};
    const int number = ring.number_of(rank);
    TreePlace place;
    for (int distance = 1; distance < size; distance *= 2) {
        if ((number & distance) != 0) {
            place.parent = ring.rank_of(number - distance);
            break;
        }
        if (number + distance < size) place.children.push_back(ring.rank_of(number + distance));
    }
    return place;
}

TreePlace knomial_tree(int rank, int size, int root, int radix) {
    const Ring ring{root, size};
    const int number = ring.number_of(rank);
    TreePlace place;
    std::int64_t distance = 1;
    for (; distance < size; distance *= radix) {
        const std::int64_t above = distance * radix;
        if (number % above != 0) {
            place.parent = ring.rank_of(static_cast<int>(number / above * above));
            break;
        }
    }
    for (distance /= radix; distance > 0; distance /= radix) {
        for (int i = 1; i < radix && number + i * distance < size; ++i) {
            place.children.push_back(ring.rank_of(static_cast<int>(number + i * distance)));
        }
    }
    return place;
}

TreePlace complete_tree(int rank, int size, int root, int fanout) {
    const Ring ring{root, size};
    const int number = ring.number_of(rank);
    // The first number on the member's level, and the largest number of members on that level.
    std::int64_t first = 0;
    std::int64_t width = 1;
    while (number >= first + width) {
        first += width;
        width *= fanout;
    }
    TreePlace place;
    if (number > 0) {
        const std::int64_t above = width / fanout;
        place.parent = ring.rank_of(static_cast<int>(first - above + (number - first) % above));
    }
    for (int i = 1; i <= fanout && number + i * width < size; ++i) {
        place.children.push_back(ring.rank_of(static_cast<int>(number + i * width)));
    }
    return place;
}

TreePlace chain_tree(int rank, int size, int root, int chains) {
    const Ring ring{root, size};
    const int number = ring.number_of(rank);
    TreePlace place;
    if (size == 1) return place;
    const Shares members{size - 1, std::clamp(chains, 1, size - 1)};
    if (number == 0) {
        for (int i = 0; i < members.parts; ++i) {
            place.children.push_back(ring.rank_of(1 + static_cast<int>(members.first(i))));
        }
        return place;
    }
    int chain = 0;
    while (number - 1 >= members.first(chain + 1)) ++chain;
    place.parent = number - 1 == members.first(chain) ? root : ring.rank_of(number - 1);
    if (number < members.first(chain + 1)) place.children.push_back(ring.rank_of(number + 1));
    return place;
}

TreePlace in_order_tree(int rank, int size) {
    TreePlace place;
    int first = 0;  // first rank of the subtree, whose root is its last rank
    int count = size;
    while (true) {
        const int here = first + count - 1;
        const int half = count / 2;  // size of the second child's run, which comes first
        const int one = count > 1 ? here - 1 : -1;
        const int other = count > 2 ? first + half - 1 : -1;
        if (rank == here) {
            if (one >= 0) place.children.push_back(one);
            if (other >= 0) place.children.push_back(other);
            return place;
        }
        if (rank == one || rank == other) place.parent = here;
        if (other >= 0 && rank <= other) {
            count = half;
        } else {
            const int skipped = other >= 0 ? half : 0;
            first += skipped;
            count -= skipped + 1;
        }
    }
}

}  // namespace haichi::collectives
