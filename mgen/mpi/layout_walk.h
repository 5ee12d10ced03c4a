#pragma once

#include <algorithm>
#include <cstdint>

#include "mgen/mpi/type_layout.h"

namespace haichi::mpi {

/// Visits the bytes of a layout in the order of packing and passes their positions to a sink. The sink's function
/// runs(offset, count, stride, bytes) gets `count` runs of `bytes` bytes, `stride` apart.
class LayoutWalk {
  public:
    /// Visits `count` copies of the layout, `stride` bytes apart.
    template <class Sink>
    static void all(const Layout& layout, std::int64_t count, std::int64_t stride, Sink& sink) {
        if (layout.bytes_ > 0) all_of({0, 0, count, stride, nullptr}, layout, 0, sink);
    }

    /// Visits packed bytes [from, to) of `count` layouts; 0 <= from <= to <= count * layout.bytes().
    template <class Sink>
    static void part(const Layout& layout, std::int64_t count, std::int64_t stride, std::int64_t from, std::int64_t to,
                     Sink& sink) {
        if (from < to) part_of({0, 0, count, stride, nullptr}, layout, 0, from, to, sink);
    }

  private:
    template <class Sink>
    static void all_of(const Layout::LoopAt& loop, const Layout& child, std::int64_t offset, Sink& sink) {
        offset += loop.offset;
        if (child.is_run()) {
            sink.runs(offset, loop.count, loop.stride, child.bytes_);
            return;
        }
        for (std::int64_t i = 0; i < loop.count; ++i, offset += loop.stride) one(child, offset, sink);
    }

    template <class Sink>
    static void one(const Layout& layout, std::int64_t offset, Sink& sink) {
        switch (layout.kind_) {
            case Layout::Kind::kRun:
                sink.runs(offset, 1, 0, layout.bytes_);
                break;
            case Layout::Kind::kLoop:
                all_of({0, 0, layout.count_, layout.stride_, nullptr}, *layout.child_, offset, sink);
                break;
            case Layout::Kind::kRuns:
                for (std::size_t i = 0; i < layout.runs_.size(); ++i) {
                    sink.runs(offset + layout.runs_[i].offset, 1, 0, layout.end_of(i) - layout.runs_[i].start);
                }
                break;
            case Layout::Kind::kList:
                for (const Layout::LoopAt& loop : layout.list_) all_of(loop, *loop.child, offset, sink);
                break;
        }
    }

    template <class Sink>
    static void part_of(const Layout::LoopAt& loop, const Layout& child, std::int64_t offset, std::int64_t from,
                        std::int64_t to, Sink& sink) {
        const std::int64_t bytes = child.bytes_;
        offset += loop.offset;
        std::int64_t first = from / bytes;
        const std::int64_t last = to / bytes;
        if (first == last) {
            one_part(child, offset + first * loop.stride, from - first * bytes, to - first * bytes, sink);
            return;
        }
        if (from > first * bytes) {
            one_part(child, offset + first * loop.stride, from - first * bytes, bytes, sink);
            ++first;
        }
        if (first < last) {
            all_of({0, first * loop.stride, last - first, loop.stride, nullptr}, child, offset, sink);
        }
        if (to > last * bytes) one_part(child, offset + last * loop.stride, 0, to - last * bytes, sink);
    }

    template <class Sink>
    static void one_part(const Layout& layout, std::int64_t offset, std::int64_t from, std::int64_t to, Sink& sink) {
        switch (layout.kind_) {
            case Layout::Kind::kRun:
                sink.runs(offset + from, 1, 0, to - from);
                break;
            case Layout::Kind::kLoop:
                part_of({0, 0, layout.count_, layout.stride_, nullptr}, *layout.child_, offset, from, to, sink);
                break;
            case Layout::Kind::kRuns:
                for (auto it = begin_of(layout.runs_, from); it != layout.runs_.end() && it->start < to; ++it) {
                    const std::int64_t begin = std::max(from, it->start);
                    const std::int64_t end =
                        std::min(to, layout.end_of(static_cast<std::size_t>(it - layout.runs_.begin())));
                    sink.runs(offset + it->offset + (begin - it->start), 1, 0, end - begin);
                }
                break;
            case Layout::Kind::kList:
                for (auto it = begin_of(layout.list_, from); it != layout.list_.end() && it->start < to; ++it) {
                    const std::int64_t begin = std::max(from - it->start, std::int64_t{0});
                    const std::int64_t end = std::min(to - it->start, it->count * it->child->bytes_);
                    part_of(*it, *it->child, offset, begin, end, sink);
                }
                break;
        }
    }

    /// Returns the part that contains packed byte `from`.
    template <class Parts>
    static auto begin_of(const Parts& parts, std::int64_t from) {
        return std::ranges::upper_bound(parts, from, {}, [](const auto& part) { return part.start; }) - 1;
    }
};

}  // namespace haichi::mpi
