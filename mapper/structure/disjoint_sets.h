#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace haichi {

/// Sets of the numbers 0..count-1 that are joined one by one. The smallest number represents its set.
class DisjointSets {
  public:
    explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

    std::int32_t find(std::int32_t member) {
        while (parent(member) != member) member = parent(member) = parent(parent(member));
        return member;
    }
    void join(std::int32_t a, std::int32_t b) {
        a = find(a);
        b = find(b);
        if (a < b) parent(b) = a;
        if (b < a) parent(a) = b;
    }

  private:
    std::int32_t& parent(std::int32_t member) { return parent_[static_cast<std::size_t>(member)]; }

    std::vector<std::int32_t> parent_;
};

}  // namespace haichi
