#include "commlog/nas/nas_run.h"

namespace haichi {

namespace {

struct Layout {
    std::int64_t x = 0, y = 0, z = 0;
    int np1 = 1, np2 = 1;  ///< the grid of ranks; np1 = 1 is the slab layout, and other values are the pencil layout

    Layout(char problem_class, int ranks)
        : x(of_class(problem_class, {64, 128, 256, 512, 512, 2048, 4096})),
          y(of_class(problem_class, {64, 128, 256, 256, 512, 1024, 2048})),
          z(of_class(problem_class, {64, 32, 128, 256, 512, 1024, 2048})) {
        np2 = ranks;
        if (ranks <= z) return;
        np1 = static_cast<int>(z);
        np2 = static_cast<int>(ranks / z);
    }
    [[nodiscard]] std::int64_t own_points(int ranks) const { return x * y / ranks * z; }
};

constexpr std::uint32_t kAlongZ = 1;  // the rank's two communicators: its row and its column in the grid of ranks
constexpr std::uint32_t kAlongY = 2;

}  // namespace

std::int64_t ft_iterations(char problem_class) { return of_class(problem_class, {6, 6, 6, 20, 20, 25, 25}); }

std::string ft_refusal(char problem_class, int ranks) {
    if (std::string refusal = refuse_unless_power_of_two(ranks); !refusal.empty()) return refusal;
    const Layout layout(problem_class, ranks);
    const bool fits =
        layout.np1 <= layout.x && layout.np1 <= layout.y && layout.np2 <= layout.y && layout.np2 <= layout.z;
    return fits ? "" : "its grid has too few planes";
}

NasCommunicators ft_communicators(const NasRun& run) {
    const Layout layout(run.problem_class, run.ranks);
    NasCommunicators communicators;
    for (int row = 0; row < layout.np1; ++row) {
        auto& members = communicators.emplace_back();
        for (int column = 0; column < layout.np2; ++column) members.push_back(row * layout.np2 + column);
    }
    for (int column = 0; column < layout.np2; ++column) {
        auto& members = communicators.emplace_back();
        for (int row = 0; row < layout.np1; ++row) members.push_back(row * layout.np2 + column);
    }
    return communicators;
}

/// An FFT consists of three transforms, each of which takes a third of the time.
void write_ft(const NasRun& run, int rank, CallSequenceBuilder& calls) {
    const Layout layout(run.problem_class, run.ranks);
    const std::int64_t points = layout.own_points(run.ranks);
    const double transform_seconds = run.iteration_seconds / run.ranks / 3;
    const auto transpose = [&](std::uint32_t communicator, int members) {
        const auto bytes = static_cast<std::uint64_t>(points / members * members) * kComplexBytes;
        calls.collective(CollectiveOperation::kAlltoall, bytes, bytes, communicator);
    };
    const auto fft = [&](bool is_forward) {
        if (run.ranks == 1) {
            calls.compute(3 * transform_seconds);
        } else if (layout.np1 == 1) {
            calls.compute((is_forward ? 2 : 1) * transform_seconds);
            transpose(kAlongZ, run.ranks);
            calls.compute((is_forward ? 1 : 2) * transform_seconds);
        } else {
            calls.compute(transform_seconds);
            transpose(is_forward ? kAlongY : kAlongZ, is_forward ? layout.np1 : layout.np2);
            calls.compute(transform_seconds);
            transpose(is_forward ? kAlongZ : kAlongY, is_forward ? layout.np2 : layout.np1);
            calls.compute(transform_seconds);
        }
    };
    fft(true);
    calls.repeat(static_cast<std::uint64_t>(run.iterations), [&] {
        fft(false);
        calls.collective(CollectiveOperation::kReduce, kComplexBytes, rank == 0 ? kComplexBytes : 0, 0, 0);
    });
}

}  // namespace haichi
