#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "mgen/mpi/checked.h"
#include "mgen/mpi/type_constructors.h"

namespace haichi::mpi {

namespace {

void refuse(const std::string& what) { throw CallError(ErrorClass::kArgument, what); }

/// Places the layout of `data` at `offset` in an array of `bytes` bytes.
DatatypeRef placed(const DatatypeRef& data, std::int64_t offset, std::int64_t bytes, TypeContents contents) {
    TypeBounds bounds = data->bounds();
    bounds.lower = 0;
    bounds.upper = bytes;
    if (data->size() > 0) {
        bounds.true_lower = checked_sum(bounds.true_lower, offset);
        bounds.true_upper = checked_sum(bounds.true_upper, offset);
    }
    return std::make_shared<const Datatype>(bounds, Layout::loop(offset, 1, 0, data->layout_ref()),
                                            data->signature_ref(), data->only_basic_type(), std::move(contents));
}

/// The dimension whose index varies `nth` fastest, counted from 0.
std::size_t dimension(ArrayOrder order, std::size_t dimensions, std::size_t nth) {
    return order == ArrayOrder::kC ? dimensions - 1 - nth : nth;
}

void append(std::vector<std::int32_t>& to, std::span<const std::int64_t> values) {
    for (const std::int64_t value : values) to.push_back(static_cast<std::int32_t>(value));
}

void append(std::vector<std::int32_t>& to, std::span<const std::int32_t> values) {
    to.insert(to.end(), values.begin(), values.end());
}

/// The indices that a process has in one dimension: blocks of `block` indices, `step` apart, the first at `first`.
struct Share {
    std::int64_t first = 0;
    std::int64_t block = 0;
    std::int64_t step = 0;
    std::int64_t whole_blocks = 0;
    std::int64_t rest = 0;  ///< indices in a last, shorter block
};

Share share_of(const DistributedArray& array, std::size_t d, std::int64_t coordinate) {
    const std::int64_t size = array.sizes[d];
    const std::int64_t processes = array.grid[d];
    const std::int32_t argument = array.arguments[d];
    const bool is_default = argument == DistributedArray::kDefaultArgument;
    Share share;
    switch (array.distributions[d]) {
        case Distribution::kNone:
            if (processes != 1)
                refuse("a dimension without distribution requires 1 rank, found " + std::to_string(processes));
            share = {0, size, size, 1, 0};
            return share;
        case Distribution::kBlock:
            share.block = is_default ? (size + processes - 1) / processes : argument;
            if (share.block < 1 || checked_product(share.block, processes) < size) {
                refuse("blocks of " + std::to_string(share.block) + " on " + std::to_string(processes) +
                       " ranks are too small for a dimension of " + std::to_string(size));
            }
            break;
        case Distribution::kCyclic:
            share.block = is_default ? 1 : argument;
            if (share.block < 1) refuse("invalid block size of a cyclic distribution: " + std::to_string(share.block));
            break;
    }
    share.first = checked_product(coordinate, share.block);
    share.step = checked_product(share.block, processes);
    const std::int64_t after = std::max(size - share.first, std::int64_t{0});
    share.whole_blocks = after / share.step;
    const std::int64_t last = after % share.step;
    if (last >= share.block) {
        ++share.whole_blocks;
    } else {
        share.rest = last;
    }
    return share;
}

}  // namespace

DatatypeRef make_subarray(const Subarray& part, std::int32_t order_number, const DatatypeRef& old, CountForm form) {
    const std::size_t dimensions = part.sizes.size();
    if (dimensions == 0) refuse("a subarray has no dimensions");
    for (std::size_t d = 0; d < dimensions; ++d) {
        if (part.sizes[d] < 1 || part.subsizes[d] < 1 || part.subsizes[d] > part.sizes[d]) {
            refuse("dimension " + std::to_string(d) + " of a subarray takes " + std::to_string(part.subsizes[d]) +
                   " of " + std::to_string(part.sizes[d]) + " items");
        }
        if (part.starts[d] < 0 || part.starts[d] > part.sizes[d] - part.subsizes[d]) {
            refuse("dimension " + std::to_string(d) + " of a subarray takes " + std::to_string(part.subsizes[d]) +
                   " of " + std::to_string(part.sizes[d]) + " items, which is too many from item " +
                   std::to_string(part.starts[d]));
        }
    }
    std::int64_t stride = old->extent();
    std::int64_t offset = 0;
    DatatypeRef data = old;
    for (std::size_t nth = 0; nth < dimensions; ++nth) {
        const std::size_t d = dimension(part.order, dimensions, nth);
        data = make_hvector(part.subsizes[d], 1, stride, data);
        offset = checked_sum(offset, checked_product(part.starts[d], stride));
        stride = checked_product(stride, part.sizes[d]);
    }
    TypeContents contents{Combiner::kSubarray, form, {static_cast<std::int32_t>(dimensions)}, {}, {}, {old}};
    for (const auto& values : {part.sizes, part.subsizes, part.starts}) {
        if (form == CountForm::kLarge) {
            contents.large_counts.insert(contents.large_counts.end(), values.begin(), values.end());
        } else {
            append(contents.integers, values);
        }
    }
    contents.integers.push_back(order_number);
    return placed(data, offset, stride, std::move(contents));
}

DatatypeRef make_darray(const DistributedArray& array, std::span<const std::int32_t> distribution_numbers,
                        std::int32_t order_number, const DatatypeRef& old, CountForm form) {
    const std::size_t dimensions = array.sizes.size();
    if (dimensions == 0) refuse("a distributed array has no dimensions");
    if (array.rank < 0 || array.rank >= array.processes) {
        refuse("invalid rank: " + std::to_string(array.rank) + " (the array is on " + std::to_string(array.processes) +
               " ranks)");
    }
    std::int64_t processes = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        if (array.sizes[d] < 1) refuse("invalid dimension of a distributed array: " + std::to_string(array.sizes[d]));
        if (array.grid[d] < 1) refuse("invalid dimension of a grid of ranks: " + std::to_string(array.grid[d]));
        processes = checked_product(processes, array.grid[d]);
    }
    if (processes != array.processes) {
        refuse("expected a grid of " + std::to_string(array.processes) + " ranks, found " + std::to_string(processes));
    }
    // The rank's coordinates in the grid are row-major, independently of the order of the array.
    std::vector<std::int64_t> place(dimensions);
    std::int64_t rank = array.rank;
    for (std::size_t d = dimensions; d-- > 0; rank /= array.grid[d]) place[d] = rank % array.grid[d];

    std::int64_t stride = old->extent();
    std::int64_t offset = 0;
    DatatypeRef data = old;
    for (std::size_t nth = 0; nth < dimensions; ++nth) {
        const std::size_t d = dimension(array.order, dimensions, nth);
        const Share share = share_of(array, d, place[d]);
        const std::int64_t step = checked_product(share.step, stride);
        const DatatypeRef block = make_hvector(share.block, 1, stride, data);
        const DatatypeRef whole = make_hvector(share.whole_blocks, 1, step, block);
        const DatatypeRef last = make_hvector(share.rest, 1, stride, data);
        const std::array<std::int64_t, 2> lengths = {1, 1};
        const std::array<std::int64_t, 2> places = {0, checked_product(share.whole_blocks, step)};
        data = make_struct({lengths, places}, std::array{whole, last});
        offset = checked_sum(offset, checked_product(share.first, stride));
        stride = checked_product(stride, array.sizes[d]);
    }
    TypeContents contents{Combiner::kDarray, form, {}, {}, {}, {old}};
    contents.integers = {array.processes, array.rank, static_cast<std::int32_t>(dimensions)};
    if (form == CountForm::kLarge) {
        contents.large_counts.assign(array.sizes.begin(), array.sizes.end());
    } else {
        append(contents.integers, array.sizes);
    }
    append(contents.integers, distribution_numbers);
    append(contents.integers, array.arguments);
    append(contents.integers, array.grid);
    contents.integers.push_back(order_number);
    return placed(data, offset, stride, std::move(contents));
}

}  // namespace haichi::mpi
