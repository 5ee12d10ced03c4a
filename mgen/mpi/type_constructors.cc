#include "mgen/mpi/type_constructors.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mgen/mpi/checked.h"

namespace haichi::mpi {

namespace {

/// True for a type without data and bound markers: its position does not affect bounds.
bool is_nothing(const Datatype& type) { return type.size() == 0 && type.lower_bound() == 0 && type.extent() == 0; }

void check_count(std::int64_t count) {
    if (count < 0) throw CallError(ErrorClass::kCount, "invalid count of a data type: " + std::to_string(count));
}

void check_length(std::int64_t length) {
    if (length < 0)
        throw CallError(ErrorClass::kCount, "invalid block length of a data type: " + std::to_string(length));
}

/// Computes the bounds of a type while its parts are added.
class PartBounds {
  public:
    /// Adds `count` copies of `old`, `stride` bytes apart, the first one at `offset`.
    void add(std::int64_t offset, std::int64_t count, std::int64_t stride, const Datatype& old) {
        if (count == 0 || is_nothing(old)) return;
        const std::int64_t last = checked_sum(offset, checked_product(count - 1, stride));
        const std::int64_t least = std::min(offset, last);
        const std::int64_t greatest = std::max(offset, last);
        const TypeBounds& inner = old.bounds();
        widen(has_bounds_, bounds_.lower, bounds_.upper, checked_sum(least, inner.lower),
              checked_sum(greatest, inner.upper));
        if (old.size() > 0) {
            widen(has_data_, bounds_.true_lower, bounds_.true_upper, checked_sum(least, inner.true_lower),
                  checked_sum(greatest, inner.true_upper));
        }
        bounds_.alignment = std::max(bounds_.alignment, inner.alignment);
    }

    [[nodiscard]] TypeBounds& bounds() { return bounds_; }

  private:
    static void widen(bool& has, std::int64_t& lower, std::int64_t& upper, std::int64_t least, std::int64_t greatest) {
        lower = has ? std::min(lower, least) : least;
        upper = has ? std::max(upper, greatest) : greatest;
        has = true;
        static_cast<void>(checked_difference(upper, lower));
    }

    TypeBounds bounds_;
    bool has_bounds_ = false;
    bool has_data_ = false;
};

/// Stores constructor arguments at the positions where get_contents expects them.
class ContentsOf {
  public:
    ContentsOf(Combiner combiner, CountForm form) {
        contents_.combiner = combiner;
        contents_.form = form;
    }
    /// Stores counts; for constructors with int counts, get_contents returns these among the integers.
    ContentsOf& counts(std::span<const std::int64_t> values) {
        if (contents_.form == CountForm::kLarge) return large(values);
        for (const std::int64_t value : values) contents_.integers.push_back(static_cast<std::int32_t>(value));
        return *this;
    }
    ContentsOf& count(std::int64_t value) { return counts({&value, 1}); }
    ContentsOf& addresses(std::span<const std::int64_t> values) {
        if (contents_.form == CountForm::kLarge) return large(values);
        contents_.addresses.insert(contents_.addresses.end(), values.begin(), values.end());
        return *this;
    }
    ContentsOf& address(std::int64_t value) { return addresses({&value, 1}); }
    TypeContents with(std::span<const DatatypeRef> types) {
        contents_.types.assign(types.begin(), types.end());
        return std::move(contents_);
    }
    TypeContents with(const DatatypeRef& type) { return with({&type, 1}); }

  private:
    ContentsOf& large(std::span<const std::int64_t> values) {
        contents_.large_counts.insert(contents_.large_counts.end(), values.begin(), values.end());
        return *this;
    }

    TypeContents contents_;
};

DatatypeRef strided(std::int64_t count, std::int64_t length, std::int64_t stride_bytes, const DatatypeRef& old,
                    TypeContents contents) {
    check_count(count);
    check_length(length);
    PartBounds bounds;
    const std::int64_t extent = old->extent();
    if (count > 0 && length > 0) {
        bounds.add(0, length, extent, *old);
        const std::int64_t last = checked_product(count - 1, stride_bytes);
        bounds.add(last, length, extent, *old);
    }
    const LayoutRef block = Layout::loop(0, length, extent, old->layout_ref());
    return std::make_shared<const Datatype>(bounds.bounds(), Layout::loop(0, count, stride_bytes, block),
                                            Signature::repeated(checked_product(count, length), old->signature_ref()),
                                            old->only_basic_type(), std::move(contents));
}

/// Makes a type from blocks of one type. Displacements are multiples of `unit` bytes.
DatatypeRef blocks_of(const IndexedBlocks& blocks, std::int64_t unit, const DatatypeRef& old, TypeContents contents) {
    PartBounds bounds;
    std::int64_t copies = 0;
    const std::int64_t extent = old->extent();
    const std::size_t count = blocks.displacements.size();
    std::vector<Layout::Run> runs;
    std::vector<Layout::LoopAt> loops;
    if (old->is_contiguous()) {
        runs.reserve(count);
    } else {
        loops.reserve(count);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t length = blocks.lengths.size() == 1 ? blocks.lengths[0] : blocks.lengths[i];
        check_length(length);
        const std::int64_t offset = checked_product(blocks.displacements[i], unit);
        bounds.add(offset, length, extent, *old);
        copies = checked_sum(copies, length);
        if (old->is_contiguous()) {
            runs.push_back({offset, checked_product(length, old->size())});
        } else {
            loops.push_back({0, offset, length, extent, old->layout_ref()});
        }
    }
    LayoutRef layout = old->is_contiguous() ? Layout::runs(runs) : Layout::list(std::move(loops));
    return std::make_shared<const Datatype>(bounds.bounds(), std::move(layout),
                                            Signature::repeated(copies, old->signature_ref()), old->only_basic_type(),
                                            std::move(contents));
}

void check_equal(std::size_t lengths, std::size_t displacements) {
    if (lengths != displacements)
        throw InternalError("blocks of a data type: lengths and displacements differ in number");
}

}  // namespace

DatatypeRef make_contiguous(std::int64_t count, const DatatypeRef& old, CountForm form) {
    return strided(1, (check_count(count), count), 0, old,
                   ContentsOf(Combiner::kContiguous, form).count(count).with(old));
}

DatatypeRef make_vector(std::int64_t count, std::int64_t length, std::int64_t stride, const DatatypeRef& old,
                        CountForm form) {
    TypeContents contents = ContentsOf(Combiner::kVector, form).count(count).count(length).count(stride).with(old);
    return strided(count, length, checked_product(stride, old->extent()), old, std::move(contents));
}

DatatypeRef make_hvector(std::int64_t count, std::int64_t length, std::int64_t stride_bytes, const DatatypeRef& old,
                         CountForm form) {
    TypeContents contents =
        ContentsOf(Combiner::kHvector, form).count(count).count(length).address(stride_bytes).with(old);
    return strided(count, length, stride_bytes, old, std::move(contents));
}

DatatypeRef make_indexed(const IndexedBlocks& blocks, const DatatypeRef& old, CountForm form) {
    check_equal(blocks.lengths.size(), blocks.displacements.size());
    ContentsOf contents(Combiner::kIndexed, form);
    contents.count(std::ssize(blocks.lengths)).counts(blocks.lengths).counts(blocks.displacements);
    return blocks_of(blocks, old->extent(), old, contents.with(old));
}

DatatypeRef make_hindexed(const IndexedBlocks& blocks, const DatatypeRef& old, CountForm form) {
    check_equal(blocks.lengths.size(), blocks.displacements.size());
    ContentsOf contents(Combiner::kHindexed, form);
    contents.count(std::ssize(blocks.lengths)).counts(blocks.lengths).addresses(blocks.displacements);
    return blocks_of(blocks, 1, old, contents.with(old));
}

DatatypeRef make_indexed_block(std::int64_t length, std::span<const std::int64_t> displacements, const DatatypeRef& old,
                               CountForm form) {
    ContentsOf contents(Combiner::kIndexedBlock, form);
    contents.count(std::ssize(displacements)).count(length).counts(displacements);
    check_length(length);
    return blocks_of({{&length, 1}, displacements}, old->extent(), old, contents.with(old));
}

DatatypeRef make_hindexed_block(std::int64_t length, std::span<const std::int64_t> displacements_bytes,
                                const DatatypeRef& old, CountForm form) {
    ContentsOf contents(Combiner::kHindexedBlock, form);
    contents.count(std::ssize(displacements_bytes)).count(length).addresses(displacements_bytes);
    check_length(length);
    return blocks_of({{&length, 1}, displacements_bytes}, 1, old, contents.with(old));
}

DatatypeRef make_struct(const IndexedBlocks& blocks, std::span<const DatatypeRef> old, CountForm form) {
    check_equal(blocks.lengths.size(), blocks.displacements.size());
    check_equal(blocks.lengths.size(), old.size());
    ContentsOf contents(Combiner::kStruct, form);
    contents.count(std::ssize(blocks.lengths)).counts(blocks.lengths).addresses(blocks.displacements);

    PartBounds parts;
    std::vector<Layout::LoopAt> loops;
    std::vector<Signature::Repeat> signature;
    std::optional<BasicType> only;
    bool is_one_type = true;
    std::optional<std::int64_t> lower_marker;
    std::optional<std::int64_t> upper_marker;
    for (std::size_t i = 0; i < old.size(); ++i) {
        const Datatype& type = *old[i];
        const std::int64_t length = blocks.lengths[i];
        const std::int64_t offset = blocks.displacements[i];
        check_length(length);
        if (type.named() == BasicType::kLowerBound) {
            lower_marker = lower_marker ? std::min(*lower_marker, offset) : offset;
            continue;
        }
        if (type.named() == BasicType::kUpperBound) {
            upper_marker = upper_marker ? std::max(*upper_marker, offset) : offset;
            continue;
        }
        parts.add(offset, length, type.extent(), type);
        if (length == 0 || type.size() == 0) continue;
        is_one_type = is_one_type && type.only_basic_type() && (!only || only == type.only_basic_type());
        only = type.only_basic_type();
        loops.push_back({0, offset, length, type.extent(), type.layout_ref()});
        signature.push_back({length, type.signature_ref()});
    }
    TypeBounds& bounds = parts.bounds();
    // MPICH treats a struct whose types are all equal as an hindexed type, without padding at the end.
    const bool is_hindexed = std::ranges::all_of(old, [&](const DatatypeRef& type) { return type == old[0]; });
    const std::int64_t beyond = (bounds.upper - bounds.lower) % bounds.alignment;
    if (beyond > 0 && !is_hindexed) bounds.upper = checked_sum(bounds.upper, bounds.alignment - beyond);
    if (lower_marker) bounds.lower = *lower_marker;
    if (upper_marker) bounds.upper = *upper_marker;
    return std::make_shared<const Datatype>(bounds, Layout::list(std::move(loops)),
                                            Signature::sequence(std::move(signature)),
                                            is_one_type ? only : std::nullopt, contents.with(old));
}

DatatypeRef make_resized(const DatatypeRef& old, std::int64_t lower_bound, std::int64_t extent, CountForm form) {
    TypeBounds bounds = old->bounds();
    bounds.lower = lower_bound;
    bounds.upper = checked_sum(lower_bound, extent);
    TypeContents contents = ContentsOf(Combiner::kResized, form).address(lower_bound).address(extent).with(old);
    return std::make_shared<const Datatype>(bounds, old->layout_ref(), old->signature_ref(), old->only_basic_type(),
                                            std::move(contents));
}

DatatypeRef make_dup(const DatatypeRef& old) {
    return std::make_shared<const Datatype>(old->bounds(), old->layout_ref(), old->signature_ref(),
                                            old->only_basic_type(),
                                            ContentsOf(Combiner::kDup, CountForm::kInt).with(old));
}

DatatypeRef make_f90(Combiner combiner, BasicType type, std::span<const std::int32_t> integers) {
    const Datatype& basic = *Datatype::basic(type);
    TypeContents contents;
    contents.combiner = combiner;
    contents.integers.assign(integers.begin(), integers.end());
    return std::make_shared<const Datatype>(basic.bounds(), basic.layout_ref(), basic.signature_ref(), type,
                                            std::move(contents));
}

}  // namespace haichi::mpi
