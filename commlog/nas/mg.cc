#include <array>
#include <vector>

#include "commlog/nas/nas_run.h"

namespace haichi {

namespace {

int levels_of(char problem_class) { return of_class(problem_class, {5, 7, 8, 8, 9, 10, 11}); }

/// A rank's part of a multigrid level, and the ranks with which it exchanges halos. The values follow NPB's setup.
struct Level {
    std::array<int, 3> points{};  ///< number of own points along each axis, including two halo points
    std::array<std::array<int, 2>, 3> neighbor{};
    /// True if the rank exchanges points with ranks that have none on the next coarser level.
    std::array<bool, 3> gives{}, takes{};
    bool is_idle = false;

    [[nodiscard]] double own_points() const {
        return is_idle ? 0.0 : 1.0 * (points[0] - 2) * (points[1] - 2) * (points[2] - 2);
    }
};

std::array<int, 3> grid_of(int ranks) {
    const int log = log2_of(ranks);
    const int x = log / 3;
    const int y = (log - x) / 2;
    return {1 << x, 1 << y, 1 << (log - x - y)};
}

/// Returns the levels of a rank. Entry k is the level with 2^k points per side, k >= 1; entry 0 is unused.
std::vector<Level> levels_of_rank(int finest, int ranks, int rank) {
    const std::array<int, 3> grid = grid_of(ranks);
    const std::array<int, 3> place = {rank % grid[0], rank / grid[0] % grid[1], rank / (grid[0] * grid[1])};
    std::vector<Level> levels(static_cast<std::size_t>(finest) + 1);
    std::array<int, 3> step = {1, 1, 1};  // distance to the next rank that has points on the level
    for (int k = finest; k >= 1; --k) {
        Level& level = levels[static_cast<std::size_t>(k)];
        const int side = 1 << k;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int of = grid[axis];
            const auto share = [&](int at) { return 2 + (at + 1) * side / of - at * side / of; };
            const int own = share(place[axis]);
            const int next = share(place[axis] + step[axis]);
            if (own == 2 || next == 2) step[axis] *= 2;
            if (k < finest) {
                Level& finer = levels[static_cast<std::size_t>(k) + 1];
                finer.gives[axis] = next == 2 && own == 3;
                finer.takes[axis] = next == 3 && own == 2;
            }
            if (own == 2) level.is_idle = true;
            level.points[axis] = own;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (const int direction : {-1, 1}) {
                std::array<int, 3> at = place;
                at[axis] = (place[axis] + direction * step[axis] + grid[axis]) % grid[axis];
                level.neighbor[axis][direction < 0 ? 0 : 1] = at[0] + grid[0] * (at[1] + grid[1] * at[2]);
            }
        }
    }
    return levels;
}

class MgWriter {
  public:
    MgWriter(const NasRun& run, int rank, CallSequenceBuilder& calls)
        : finest_(levels_of(run.problem_class)),
          levels_(levels_of_rank(finest_, run.ranks, rank)),
          is_alone_(run.ranks == 1),
          calls_(&calls) {
        // An iteration processes each level four times, once per operator, and the coarsest level only twice.
        double points = -2.0 * cube(1);
        for (int k = 1; k <= finest_; ++k) points += 4.0 * cube(k);
        point_seconds_ = run.iteration_seconds / points;
    }

    void iteration() {
        for (int k = finest_; k > 1; --k) over(k - 1);  // restriction
        over(1);                                        // smoothing
        for (int k = 2; k <= finest_; ++k) {
            interpolate(k);
            over(k);  // residual
            over(k);  // smoothing
        }
        over(finest_);  // residual
    }
    /// Applies an operator to a level and exchanges its halo.
    void over(int k) {
        calls_->compute(point_seconds_ * level(k).own_points());
        if (is_alone_ || level(k).is_idle) return;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Requests requests = start_receives(k, axis, halo(k, axis), halo(k, axis));
            send_both(k, axis, halo(k, axis), halo(k, axis));
            wait_both(requests);
        }
    }
    void norm() {
        for (int i = 0; i < 2; ++i) calls_->collective(CollectiveOperation::kAllreduce, kDoubleBytes, kDoubleBytes);
    }
    [[nodiscard]] int finest() const { return finest_; }

  private:
    using Requests = std::array<CallSequenceBuilder::Request, 2>;

    static double cube(int k) { return static_cast<double>(std::int64_t{1} << (3 * k)); }
    [[nodiscard]] const Level& level(int k) const { return levels_[static_cast<std::size_t>(k)]; }

    static int tag(std::size_t axis, int direction) {
        return 100 * (direction + 2 + 10 * (static_cast<int>(axis) + 1));
    }

    /// Returns the number of halo points of a face. The face includes the halos of axes that were exchanged earlier.
    [[nodiscard]] std::int64_t halo(int k, std::size_t axis) const {
        const auto& p = level(k).points;
        if (axis == 0) return std::int64_t{p[1] - 2} * (p[2] - 2);
        if (axis == 1) return std::int64_t{p[0]} * (p[2] - 2);
        return std::int64_t{p[0]} * p[1];
    }
    [[nodiscard]] std::int64_t whole_face(int k, std::size_t axis) const {
        const auto& p = level(k).points;
        return std::int64_t{p[axis == 0 ? 1 : 0]} * p[axis == 2 ? 1 : 2];
    }

    /// Ranks without points on level k - 1 get their part of level k from ranks that have such points.
    void interpolate(int k) {
        calls_->compute(point_seconds_ * level(k).own_points());
        if (is_alone_) return;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t face = whole_face(k, axis);
            if (level(k).takes[axis]) wait_both(start_receives(k, axis, face, 2 * face));
            if (level(k).gives[axis]) send_both(k, axis, face, 2 * face);
        }
    }

    /// Posts the receives of the messages that move down and up the axis.
    Requests start_receives(int k, std::size_t axis, std::int64_t down, std::int64_t up) {
        return {calls_->start_receive(level(k).neighbor[axis][1], tag(axis, -1), bytes(down)),
                calls_->start_receive(level(k).neighbor[axis][0], tag(axis, 1), bytes(up))};
    }
    void send_both(int k, std::size_t axis, std::int64_t down, std::int64_t up) {
        calls_->send(level(k).neighbor[axis][1], tag(axis, 1), bytes(up));
        calls_->send(level(k).neighbor[axis][0], tag(axis, -1), bytes(down));
    }
    void wait_both(const Requests& requests) {
        for (const auto& request : requests) calls_->wait({request});
    }
    static std::uint64_t bytes(std::int64_t points) { return static_cast<std::uint64_t>(points) * kDoubleBytes; }

    int finest_;
    std::vector<Level> levels_;
    bool is_alone_;
    double point_seconds_ = 0;
    CallSequenceBuilder* calls_;
};

}  // namespace

std::int64_t mg_iterations(char problem_class) { return of_class(problem_class, {4, 4, 4, 20, 20, 50, 50}); }

std::string mg_refusal(char problem_class, int ranks) {
    if (std::string refusal = refuse_unless_power_of_two(ranks); !refusal.empty()) return refusal;
    return grid_of(ranks)[2] > (1 << levels_of(problem_class)) ? "its grid has too few points" : "";
}

void write_mg(const NasRun& run, int rank, CallSequenceBuilder& calls) {
    MgWriter writer(run, rank, calls);
    writer.over(writer.finest());
    writer.norm();
    calls.repeat(static_cast<std::uint64_t>(run.iterations), [&] { writer.iteration(); });
    writer.norm();
}

}  // namespace haichi
