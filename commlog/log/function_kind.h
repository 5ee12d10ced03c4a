#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

namespace haichi {

/// The kind of an MPI function, as derived from its name.
enum class FunctionKind : std::uint8_t {
    kPointToPoint,  ///< sends, receives, or posts sends or receives
    kCompletion,    ///< waits for requests or tests them
    kCollective,
    kOneSided,
    kOther
};

inline FunctionKind function_kind(std::string_view name) {
    std::string word;
    for (const char c : name) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (word.starts_with("mpi_")) word.erase(0, 4);
    // These words are names of sums in Open MPI's monitoring files.
    if (word.starts_with("point-to-point")) return FunctionKind::kPointToPoint;
    const auto begins_with = [&](std::string_view start) { return word.starts_with(start); };
    const auto holds = [&](std::string_view part) { return word.find(part) != std::string::npos; };
    constexpr std::array<std::string_view, 5> kOthers = {"file_", "comm_", "type_", "op_", "reduce_local"};
    if (std::ranges::any_of(kOthers, begins_with)) return FunctionKind::kOther;
    constexpr std::array<std::string_view, 3> kPointToPoint = {"send", "recv", "start"};
    if (std::ranges::any_of(kPointToPoint, holds)) return FunctionKind::kPointToPoint;
    if (begins_with("wait") || begins_with("test")) return FunctionKind::kCompletion;
    constexpr std::array<std::string_view, 8> kCollectives = {"barrier",  "bcast", "reduce",  "gather",
                                                              "alltoall", "scan",  "scatter", "neighbor_"};
    if (std::ranges::any_of(kCollectives, holds)) return FunctionKind::kCollective;
    constexpr std::array<std::string_view, 10> kOneSided = {
        "put",           "get", "rput", "rget", "accumulate", "raccumulate", "win_", "fetch_and_op", "compare_and_swap",
        "get_accumulate"};
    const bool is_query = begins_with("get_") && !begins_with("get_accumulate");
    if (!is_query && std::ranges::any_of(kOneSided, begins_with)) return FunctionKind::kOneSided;
    return FunctionKind::kOther;
}

}  // namespace haichi
