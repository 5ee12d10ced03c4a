#include <cstdint>

#include "commlog/nas/nas_run.h"

namespace haichi {

namespace {

constexpr std::int64_t kLuValues = 5;         // number of values per grid point
constexpr std::int64_t kLeastRankPoints = 4;  // minimum number of grid points of a rank along an axis
constexpr std::int64_t kFacesOfHalo = 2;      // number of layers of the halo

enum Tag : std::int32_t { kFromSouth = 1, kFromNorth = 2, kFromEast = 3, kFromWest = 4 };

/// Fractions of an iteration's computation, from the samples of a profile (class W, one process). For each plane, both
/// sweeps compute the Jacobian before they receive messages, and the solution afterwards. The remaining time is for the
/// right-hand side.
constexpr double kJacobian = 0.15;
constexpr double kSolution = 0.215;
constexpr double kLuRightHandSide = 1 - 2 * (kJacobian + kSolution);
/// The first of its three directions comes between the two exchanges, the other two come after both.
constexpr double kFirstDirection = 1.0 / 3;

std::int64_t lu_side(char problem_class) { return of_class(problem_class, {12, 33, 64, 102, 162, 408, 1020}); }

struct Grid {
    int x = 1, y = 1;

    explicit Grid(int ranks) {
        const int log = log2_of(ranks);
        x = 1 << (log - log / 2);
        y = ranks / x;
    }
};

class LuWriter {
  public:
    LuWriter(const NasRun& run, int rank, CallSequenceBuilder& calls) : calls_(&calls) {
        const Grid grid(run.ranks);
        const int row = rank % grid.x;
        const int column = rank / grid.x;
        const std::int64_t side = lu_side(run.problem_class);
        const auto share = [side](int parts, int part) { return side / parts + (part < side % parts ? 1 : 0); };
        north_ = row > 0 ? rank - 1 : kNobody;
        south_ = row + 1 < grid.x ? rank + 1 : kNobody;
        west_ = column > 0 ? rank - grid.x : kNobody;
        east_ = column + 1 < grid.y ? rank + grid.x : kNobody;
        nx_ = share(grid.x, row);
        ny_ = share(grid.y, column);
        nz_ = side;
        // Points on the border of the whole grid are not computed.
        inner_x_ = nx_ - (north_ == kNobody ? 1 : 0) - (south_ == kNobody ? 1 : 0);
        inner_y_ = ny_ - (west_ == kNobody ? 1 : 0) - (east_ == kNobody ? 1 : 0);
        const double share_of_points =
            static_cast<double>(inner_x_ * inner_y_) / static_cast<double>((side - 2) * (side - 2));
        own_seconds_ = run.iteration_seconds * share_of_points;
        plane_seconds_ = own_seconds_ / static_cast<double>(nz_ - 2);
    }

    /// Sweeps plane by plane from the corner with the lowest coordinates to the one with the highest, and back.
    void sweeps() {
        calls_->repeat(static_cast<std::uint64_t>(nz_ - 2), [&] {
            calls_->compute(kJacobian * plane_seconds_);
            receive(north_, kFromNorth, inner_y_);
            receive(west_, kFromWest, inner_x_);
            calls_->compute(kSolution * plane_seconds_);
            send(south_, kFromNorth, inner_y_);
            send(east_, kFromWest, inner_x_);
        });
        calls_->repeat(static_cast<std::uint64_t>(nz_ - 2), [&] {
            calls_->compute(kJacobian * plane_seconds_);
            receive(south_, kFromSouth, inner_y_);
            receive(east_, kFromEast, inner_x_);
            calls_->compute(kSolution * plane_seconds_);
            send(north_, kFromSouth, inner_y_);
            send(west_, kFromEast, inner_x_);
        });
    }
    void right_hand_side() {
        exchange(north_, kFromNorth, south_, ny_);
        exchange(south_, kFromSouth, north_, ny_);
        calls_->compute(kFirstDirection * kLuRightHandSide * own_seconds_);
        exchange(west_, kFromWest, east_, nx_);
        exchange(east_, kFromEast, west_, nx_);
        calls_->compute((1 - kFirstDirection) * kLuRightHandSide * own_seconds_);
    }
    void norm() { calls_->collective(CollectiveOperation::kAllreduce, bytes(1), bytes(1)); }

  private:
    static std::uint64_t bytes(std::int64_t points) {
        return static_cast<std::uint64_t>(kLuValues * points) * kDoubleBytes;
    }
    void receive(std::int32_t from, Tag tag, std::int64_t points) {
        if (from != kNobody) calls_->receive(from, tag, bytes(points));
    }
    void send(std::int32_t to, Tag tag, std::int64_t points) {
        if (to != kNobody) calls_->send(to, tag, bytes(points));
    }
    /// Receives the halo from one side, and sends a halo to the other side.
    void exchange(std::int32_t from, Tag tag, std::int32_t to, std::int64_t width) {
        const std::int64_t points = kFacesOfHalo * width * nz_;
        CallSequenceBuilder::Request request;
        if (from != kNobody) request = calls_->start_receive_from_any(from, tag, bytes(points));
        send(to, tag, points);
        if (from != kNobody) calls_->wait({request});
    }

    CallSequenceBuilder* calls_;
    std::int32_t north_, south_, west_, east_;
    std::int64_t nx_, ny_, nz_;
    std::int64_t inner_x_, inner_y_;
    double own_seconds_ = 0;    ///< the rank's computation time per iteration
    double plane_seconds_ = 0;  ///< computation time per plane in both sweeps and other work
};

}  // namespace

std::int64_t lu_iterations(char problem_class) { return of_class(problem_class, {50, 300, 250, 250, 250, 300, 300}); }

std::string lu_refusal(char problem_class, int ranks) {
    if (std::string refusal = refuse_unless_power_of_two(ranks); !refusal.empty()) return refusal;
    const Grid grid(ranks);
    if (lu_side(problem_class) / grid.x >= kLeastRankPoints && lu_side(problem_class) / grid.y >= kLeastRankPoints)
        return "";
    return "a rank would have fewer than " + std::to_string(kLeastRankPoints) + " points along an axis";
}

/// Two norms are computed after the last iteration. The first one is computed only if this iteration is the last one of
/// the class.
void write_lu(const NasRun& run, int rank, CallSequenceBuilder& calls) {
    LuWriter writer(run, rank, calls);
    calls.repeat(static_cast<std::uint64_t>(run.iterations - 1), [&] {
        writer.sweeps();
        writer.right_hand_side();
    });
    writer.sweeps();
    if (run.iterations % run.class_iterations == 0) writer.norm();
    writer.right_hand_side();
    writer.norm();
}

}  // namespace haichi
