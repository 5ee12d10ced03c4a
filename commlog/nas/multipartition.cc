#include "commlog/nas/multipartition.h"

#include <numeric>

namespace haichi {

namespace {

constexpr std::int64_t kPointValues = 5;      // number of values per grid point
constexpr std::int64_t kLayers = 2;           // number of layers in a face
constexpr std::int64_t kLeastCellPoints = 3;  // minimum number of points of a cell along an axis

}  // namespace

Multipartition::Multipartition(std::int64_t side, int ranks, int rank) : cells_(root_of(ranks)) {
    const int p = cells_;
    const int i = rank % p;
    const int j = rank / p;
    for (int c = 0; c < p; ++c) {
        Cell cell{.place = {(i + c) % p, (j - c + p) % p, c}};
        double share = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            cell.size[axis] = side / p + (cell.place[axis] < side % p ? 1 : 0);
            share *= static_cast<double>(cell.size[axis]) / static_cast<double>(side);
        }
        cell.share = share;
        share_ += share;
        own_.push_back(cell);
    }
    const auto rank_at = [p](int x, int y) { return (x + p) % p + p * ((y + p) % p); };
    predecessor_ = {rank_at(i - 1, j), rank_at(i, j - 1), rank_at(i + 1, j - 1)};
    successor_ = {rank_at(i + 1, j), rank_at(i, j + 1), rank_at(i - 1, j + 1)};
}

const Multipartition::Cell& Multipartition::cell(std::size_t axis, int slice) const {
    std::size_t c = 0;
    while (own_[c].place[axis] != slice) ++c;
    return own_[c];
}

std::uint64_t Multipartition::face_bytes(std::size_t axis, bool is_upper) const {
    std::int64_t points = 0;
    for (const Cell& cell : own_) {
        if (cell.place[axis] == (is_upper ? cells_ - 1 : 0)) continue;
        points += kLayers * cell.size[(axis + 1) % 3] * cell.size[(axis + 2) % 3];
    }
    return static_cast<std::uint64_t>(kPointValues * points) * kDoubleBytes;
}

void write_copy_faces(const Multipartition& cells, CallSequenceBuilder& calls) {
    if (cells.cells() == 1) return;
    std::vector<CallSequenceBuilder::Request> requests;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto& [down, up] = kFaceTags[axis];
        // Each neighbour sends as many bytes as it receives, because it has the cells on the other side of the faces.
        requests.push_back(calls.start_receive(cells.successor(axis), down, cells.face_bytes(axis, true), kOfFaces));
        requests.push_back(calls.start_receive(cells.predecessor(axis), up, cells.face_bytes(axis, false), kOfFaces));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto& [down, up] = kFaceTags[axis];
        requests.push_back(calls.start_send(cells.successor(axis), up, cells.face_bytes(axis, true), kOfFaces));
        requests.push_back(calls.start_send(cells.predecessor(axis), down, cells.face_bytes(axis, false), kOfFaces));
    }
    calls.wait(requests);
}

void write_solver(const NasRun& run, const Multipartition& cells, std::size_t axis, const SolverStages& stages,
                  CallSequenceBuilder& calls) {
    CallSequenceBuilder::Request sent;
    const int last = cells.cells() - 1;
    const auto stage = [&](int slice, bool is_forward, bool receives, bool sends, double before, double then) {
        const Multipartition::Cell& cell = cells.cell(axis, slice);
        const std::int32_t from = is_forward ? cells.predecessor(axis) : cells.successor(axis);
        const std::int32_t to = is_forward ? cells.successor(axis) : cells.predecessor(axis);
        const std::int32_t tag = stages.tag(cells, cell, axis, is_forward);
        const std::uint64_t bytes = stages.bytes(run, cells, cell, axis, is_forward);
        if (receives) {
            const auto received = calls.start_receive(from, tag, bytes, kOfSolvers);
            calls.compute(before);
            if (stages.waits_once) {
                calls.wait({received, sent});
            } else {
                calls.wait({sent});
                calls.wait({received});
            }
        } else {
            calls.compute(before);
        }
        calls.compute(then);
        if (sends) sent = calls.start_send(to, tag, bytes, kOfSolvers);
    };
    for (int slice = 0; slice <= last; ++slice) {
        const double share = cells.cell(axis, slice).share;
        stage(slice, true, slice > 0, slice < last, stages.before_forward * share, stages.forward * share);
    }
    for (int slice = last; slice >= 0; --slice) {
        // Computation before the message arrives is done for the preceding cell.
        const double before = slice < last ? stages.before_backward * cells.cell(axis, slice + 1).share : 0;
        stage(slice, false, slice<last, slice> 0, before, stages.backward * cells.cell(axis, slice).share);
    }
    calls.compute(stages.before_backward * cells.cell(axis, 0).share);
}

std::string multipartition_refusal(std::int64_t side, int ranks) {
    const int p = root_of(ranks);
    if (p < 0) return "it requires a square number";
    return side / p < kLeastCellPoints
               ? "its cells would have fewer than " + std::to_string(kLeastCellPoints) + " points per side"
               : "";
}

NasCommunicators multipartition_communicators(const NasRun& run) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(run.ranks));
    std::iota(all.begin(), all.end(), 0);
    return {all, all};
}

}  // namespace haichi
