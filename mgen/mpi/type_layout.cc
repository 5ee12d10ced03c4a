#include "mgen/mpi/type_layout.h"

#include "mgen/mpi/checked.h"

namespace haichi::mpi {

LayoutRef Layout::run(std::int64_t offset, std::int64_t bytes) {
    auto layout = std::shared_ptr<Layout>(new Layout());
    layout->bytes_ = bytes;
    if (offset != 0 && bytes != 0) {
        layout->kind_ = Kind::kRuns;
        layout->runs_ = {{0, offset}};
    }
    return layout;
}

LayoutRef Layout::runs(std::span<const Run> given) {
    auto layout = std::shared_ptr<Layout>(new Layout());
    std::vector<RunAt>& kept = layout->runs_;
    std::int64_t bytes = 0;
    for (const Run& one : given) {
        if (one.bytes == 0) continue;
        const bool goes_on = !kept.empty() && kept.back().offset + (bytes - kept.back().start) == one.offset;
        if (!goes_on) kept.push_back({bytes, one.offset});
        bytes = checked_sum(bytes, one.bytes);
    }
    if (kept.size() < 2) return run(kept.empty() ? 0 : kept[0].offset, bytes);
    // Evenly spaced runs of equal length are stored as a loop.
    const std::int64_t length = kept[1].start;
    const std::int64_t stride = kept[1].offset - kept[0].offset;
    bool is_loop = bytes - kept.back().start == length;
    for (std::size_t i = 1; i < kept.size() && is_loop; ++i) {
        is_loop = kept[i].start - kept[i - 1].start == length && kept[i].offset - kept[i - 1].offset == stride;
    }
    if (is_loop) return loop(kept[0].offset, static_cast<std::int64_t>(kept.size()), stride, run(0, length));
    layout->kind_ = Kind::kRuns;
    layout->bytes_ = bytes;
    kept.shrink_to_fit();
    return layout;
}

LayoutRef Layout::loop(std::int64_t offset, std::int64_t count, std::int64_t stride, const LayoutRef& child) {
    return list({{0, offset, count, stride, child}});
}

Layout::LoopAt Layout::merged(LoopAt part) {
    // If the child is a single run or a loop at an offset, the offset is moved to the part.
    while (true) {
        const Layout& child = *part.child;
        if (child.kind_ == Kind::kRuns && child.runs_.size() == 1) {
            part.offset = checked_sum(part.offset, child.runs_[0].offset);
            part.child = run(0, child.bytes_);
        } else if (child.kind_ == Kind::kLoop &&
                   (part.count == 1 || checked_product(child.count_, child.stride_) == part.stride)) {
            part.count = checked_product(part.count, child.count_);
            part.stride = child.stride_;
            part.child = child.child_;
        } else if (child.kind_ == Kind::kList && child.list_.size() == 1 &&
                   (part.count == 1 || child.list_[0].count == 1 ||
                    checked_product(child.list_[0].count, child.list_[0].stride) == part.stride)) {
            const LoopAt& inner = child.list_[0];
            part.offset = checked_sum(part.offset, inner.offset);
            if (inner.count != 1) part.stride = inner.stride;
            part.count = checked_product(part.count, inner.count);
            part.child = LayoutRef(inner.child);
        } else {
            break;
        }
    }
    if (part.child->is_run() && (part.count == 1 || part.stride == part.child->bytes_)) {
        part.child = run(0, checked_product(part.count, part.child->bytes_));
        part.count = 1;
    }
    if (part.count == 1) part.stride = 0;
    return part;
}

LayoutRef Layout::list(std::vector<LoopAt> parts) {
    auto layout = std::shared_ptr<Layout>(new Layout());
    std::vector<LoopAt>& kept = layout->list_;
    std::int64_t bytes = 0;
    bool runs_only = true;
    for (LoopAt& given : parts) {
        if (given.count == 0 || given.child->bytes_ == 0) continue;
        LoopAt part = merged(std::move(given));
        part.start = bytes;
        bytes = checked_sum(bytes, checked_product(part.count, part.child->bytes_));
        const bool is_run = part.child->is_run() && part.count == 1;
        if (is_run && !kept.empty()) {
            LoopAt& before = kept.back();
            if (before.count == 1 && before.child->is_run() && before.offset + before.child->bytes_ == part.offset) {
                before.child = run(0, before.child->bytes_ + part.child->bytes_);
                continue;
            }
        }
        runs_only = runs_only && is_run;
        kept.push_back(std::move(part));
    }
    layout->bytes_ = bytes;
    if (kept.empty() || (runs_only && kept.size() == 1)) return run(kept.empty() ? 0 : kept[0].offset, bytes);
    if (kept.size() == 1 && kept[0].count == 1 && kept[0].offset == 0) return kept[0].child;
    if (kept.size() == 1 && kept[0].offset == 0) {
        layout->kind_ = Kind::kLoop;
        layout->count_ = kept[0].count;
        layout->stride_ = kept[0].stride;
        layout->child_ = kept[0].child;
        kept.clear();
    } else if (runs_only) {
        layout->kind_ = Kind::kRuns;
        for (const LoopAt& part : kept) layout->runs_.push_back({part.start, part.offset});
        kept = {};
    } else {
        layout->kind_ = Kind::kList;
    }
    return layout;
}

}  // namespace haichi::mpi
