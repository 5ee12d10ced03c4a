#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commlog/log/call_sequence_builder.h"

namespace haichi {

/// Describes a run of a NAS program. A class is identified by its letter: S, W, A, B, C, D or E.
struct NasRun {
    char problem_class = 'S';
    int ranks = 1;
    std::int64_t iterations = 1;
    std::int64_t class_iterations = 1;  ///< number of iterations of the class, which the run may change
    double iteration_seconds = 0;       ///< CPU time of one iteration on one process
};

/// The communicators of a program; each lists its members in order, as ranks in MPI_COMM_WORLD. Each rank numbers the
/// communicators that it belongs to from 1; 0 is MPI_COMM_WORLD.
using NasCommunicators = std::vector<std::vector<std::int32_t>>;

inline constexpr std::uint64_t kDoubleBytes = 8;
inline constexpr std::uint64_t kComplexBytes = 16;

/// Returns the value for a class; `values` are in the order S, W, A, B, C, D, E.
template <typename T, std::size_t size>
T of_class(char problem_class, const T (&values)[size]) {
    constexpr char kClasses[] = "SWABCDE";
    static_assert(size < sizeof(kClasses));
    for (std::size_t i = 0; i < size; ++i) {
        if (kClasses[i] == problem_class) return values[i];
    }
    return T{};
}

/// Returns the logarithm of `ranks` to base 2, or -1 if `ranks` is not a power of two.
int log2_of(int ranks);
/// Returns the square root of `ranks`, or -1 if `ranks` is not a square.
int root_of(int ranks);
std::string refuse_unless_power_of_two(int ranks);

std::int64_t ep_iterations(char problem_class);
std::string ep_refusal(char problem_class, int ranks);
void write_ep(const NasRun& run, int rank, CallSequenceBuilder& calls);

std::int64_t cg_iterations(char problem_class);
std::string cg_refusal(char problem_class, int ranks);
void write_cg(const NasRun& run, int rank, CallSequenceBuilder& calls);

std::int64_t mg_iterations(char problem_class);
std::string mg_refusal(char problem_class, int ranks);
void write_mg(const NasRun& run, int rank, CallSequenceBuilder& calls);

std::int64_t ft_iterations(char problem_class);
std::string ft_refusal(char problem_class, int ranks);
NasCommunicators ft_communicators(const NasRun& run);
void write_ft(const NasRun& run, int rank, CallSequenceBuilder& calls);

std::int64_t is_iterations(char problem_class);
std::string is_refusal(char problem_class, int ranks);
void write_is(const NasRun& run, int rank, CallSequenceBuilder& calls);

std::int64_t lu_iterations(char problem_class);
std::string lu_refusal(char problem_class, int ranks);
void write_lu(const NasRun& run, int rank, CallSequenceBuilder& calls);

std::int64_t bt_iterations(char problem_class);
std::string bt_refusal(char problem_class, int ranks);
void write_bt(const NasRun& run, int rank, CallSequenceBuilder& calls);

std::int64_t sp_iterations(char problem_class);
std::string sp_refusal(char problem_class, int ranks);
void write_sp(const NasRun& run, int rank, CallSequenceBuilder& calls);

/// Returns the two communicators of BT and SP: for faces, and then for solvers.
NasCommunicators multipartition_communicators(const NasRun& run);

}  // namespace haichi
