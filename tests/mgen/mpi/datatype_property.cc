#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "mgen/mpi/type_constructors.h"

namespace haichi::mpi {
namespace {

/// A data type as the standard defines it: a list of basic types with displacements, and bounds.
struct TypeMap {
    struct Entry {
        BasicType type;
        std::int64_t at;
    };
    std::vector<Entry> entries;
    std::int64_t lower = 0;
    std::int64_t upper = 0;

    [[nodiscard]] std::int64_t extent() const { return upper - lower; }
    /// Adds `count` copies of `other`, one extent apart.
    void add(const TypeMap& other, std::int64_t at, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i, at += other.extent()) {
            const bool first = entries.empty();
            for (const Entry& entry : other.entries) entries.push_back({entry.type, at + entry.at});
            lower = first ? at + other.lower : std::min(lower, at + other.lower);
            upper = first ? at + other.upper : std::max(upper, at + other.upper);
        }
    }
};

struct Both {
    TypeMap map;
    DatatypeRef type;
};

Both basic_type() {
    const BasicType type = *rc::gen::element(BasicType::kChar, BasicType::kShort, BasicType::kInt, BasicType::kDouble);
    TypeMap map;
    map.entries = {{type, 0}};
    map.upper = info(type).extent;
    return {map, Datatype::basic(type)};
}

std::vector<std::int64_t> integers(std::int64_t count, std::int64_t least, std::int64_t end) {
    return *rc::gen::container<std::vector<std::int64_t>>(static_cast<std::size_t>(count),
                                                          rc::gen::inRange(least, end));
}

Both constructed(const Both& old) {
    Both made;
    const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, 4);
    const std::int64_t length = *rc::gen::inRange<std::int64_t>(1, 4);
    const std::int64_t stride = *rc::gen::inRange<std::int64_t>(-4, 6);
    const std::int64_t extent = old.map.extent();
    switch (*rc::gen::inRange(0, 5)) {
        case 0:
            made.type = make_contiguous(count, old.type);
            made.map.add(old.map, 0, count);
            break;
        case 1:
            made.type = make_vector(count, length, stride, old.type);
            for (std::int64_t i = 0; i < count; ++i) made.map.add(old.map, i * stride * extent, length);
            break;
        case 2: {
            const std::vector<std::int64_t> lengths = integers(count, 1, 4);
            const std::vector<std::int64_t> places = integers(count, -60, 60);
            made.type = make_hindexed({lengths, places}, old.type);
            for (std::size_t i = 0; i < lengths.size(); ++i) made.map.add(old.map, places[i], lengths[i]);
            break;
        }
        case 3: {
            const Both other = basic_type();
            const std::vector<std::int64_t> places = integers(2, -60, 60);
            made.map.add(old.map, places[0], length);
            made.map.add(other.map, places[1], count);
            made.type =
                make_struct({std::vector{length, count}, places}, std::vector<DatatypeRef>{old.type, other.type});
            // Another test covers the padding of structs.
            made.type = make_resized(made.type, made.map.lower, made.map.extent());
            break;
        }
        default:
            made.type = make_resized(old.type, stride, count * 20);
            made.map = old.map;
            made.map.lower = stride;
            made.map.upper = stride + count * 20;
    }
    return made;
}

TEST(Datatypes, of_any_construction_are_their_type_maps) {
    EXPECT_TRUE(rc::check([] {
        Both both = basic_type();
        const int depth = *rc::gen::inRange(0, 4);
        for (int i = 0; i < depth; ++i) both = constructed(both);
        const Datatype& type = *both.type;
        const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, 4);
        TypeMap all;
        all.add(both.map, 0, count);

        std::int64_t least = all.entries[0].at;
        std::int64_t end = least;
        std::int64_t bytes = 0;
        for (const auto& [basic, at] : all.entries) {
            least = std::min(least, at);
            end = std::max(end, at + info(basic).size);
            bytes += info(basic).size;
        }
        RC_ASSERT(type.lower_bound() == both.map.lower);
        RC_ASSERT(type.extent() == both.map.extent());
        RC_ASSERT(type.packed_bytes(count) == bytes);
        RC_ASSERT(type.elements() * count == std::ssize(all.entries));
        if (count == 1) RC_ASSERT(type.true_lower_bound() == least && type.true_extent() == end - least);

        // Every byte has its own value, modulo 256.
        std::vector<std::byte> memory(static_cast<std::size_t>(end - least));
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 256);
        std::vector<std::byte> expected;
        for (const auto& [basic, at] : all.entries) {
            const auto from = memory.begin() + (at - least);
            expected.insert(expected.end(), from, from + info(basic).size);
        }
        const std::byte* data = memory.data() - least;
        std::vector<std::byte> packed(static_cast<std::size_t>(bytes));
        type.pack(data, count, packed.data());
        RC_ASSERT(packed == expected);

        const std::int64_t cut = *rc::gen::inRange<std::int64_t>(0, bytes + 1);
        std::vector<std::byte> parts(packed.size());
        type.pack_part(data, count, 0, cut, parts.data());
        type.pack_part(data, count, cut, bytes - cut, parts.data() + cut);
        RC_ASSERT(parts == expected);

        // The first bytes of a message, then all of it in two parts.
        std::vector<std::byte> back(memory.size());
        std::vector<std::byte> model(memory.size());
        std::int64_t position = 0;
        for (const auto& [basic, at] : all.entries) {
            for (std::int64_t i = 0; i < info(basic).size && position < cut; ++i, ++position) {
                model[static_cast<std::size_t>(at - least + i)] = expected[static_cast<std::size_t>(position)];
            }
        }
        RC_ASSERT(type.unpack(back.data() - least, count, packed.data(), cut) == cut);
        RC_ASSERT(back == model);

        std::int64_t whole_elements = 0;
        std::int64_t before = 0;
        for (const auto& [basic, at] : all.entries) {
            if (before + info(basic).size > cut) break;
            before += info(basic).size;
            ++whole_elements;
        }
        RC_ASSERT(type.element_count(cut) == (before == cut ? std::optional(whole_elements) : std::nullopt));
    }));
}

}  // namespace
}  // namespace haichi::mpi
