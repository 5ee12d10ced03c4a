#include "mgen/abi/mpich/program_callers.h"

#include <unwind.h>

#include <algorithm>
#include <utility>

#include "mgen/host/host.h"
#include "mgen/host/live_rank.h"

namespace haichi::abi::mpich {

ProgramCallers* program_callers = nullptr;

namespace {

bool lies_in(const std::vector<std::span<const std::byte>>& code, const void* address) {
    const auto* const at = static_cast<const std::byte*>(address);
    return std::ranges::any_of(code,
                               [&](const auto& part) { return part.data() <= at && at < part.data() + part.size(); });
}

constexpr unsigned kKnownBits = 12;

/// The result of a stack search from the innermost frame outwards: the first frame outside of the library.
struct Found {
    const ProgramCallers* callers;
    bool has_passed_library = false;
    const void* address = nullptr;   ///< return address in this frame
    std::uintptr_t library_end = 0;  ///< end of the library's frames on the stack
};

_Unwind_Reason_Code look_at(_Unwind_Context* frame, void* argument) {
    Found& found = *static_cast<Found*>(argument);
    const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
    if (found.callers->is_in_library(address)) {
        found.has_passed_library = true;
        return _URC_NO_REASON;
    }
    if (!found.has_passed_library) return _URC_NO_REASON;  // a frame of haichi, before the frames of the library
    found.address = address;
    found.library_end = _Unwind_GetCFA(frame);  // end of the called frame
    return _URC_END_OF_STACK;
}

}  // namespace

ProgramCallers::ProgramCallers(Setup setup) : setup_(std::move(setup)) {
    if (setup_.library.empty() || setup_.program.empty()) return;
    known_.resize(std::size_t{1} << kKnownBits);
    const std::byte* first = setup_.program.front().data();
    const std::byte* last = first;
    for (const std::span<const std::byte> part : setup_.program) {
        first = std::min(first, part.data());
        last = std::max(last, part.data() + part.size());
    }
    program_ = {first, last};
}

bool ProgramCallers::is_in_library(const void* site) const { return lies_in(setup_.library, setup_.original(site)); }

bool ProgramCallers::is_in_program(const void* address) const {
    return lies_in(setup_.program, setup_.original(address));
}

bool ProgramCallers::may_be_in_program(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    const auto has = [&](std::span<const std::byte> part) {
        return part.data() <= at && at < part.data() + part.size();
    };
    return has(program_) || has(setup_.copies);
}

ProgramCallers::Known& ProgramCallers::known(const void* site) {
    constexpr std::uintptr_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / the golden ratio (Knuth, vol. 3, 6.4)
    return known_[static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(site) * kGolden >> (64 - kKnownBits))];
}

const void* ProgramCallers::caller(const void* site, const void* frame, std::span<const std::byte> stack) {
    const auto* const words = static_cast<const void* const*>(frame);
    const auto* const begin = reinterpret_cast<const void* const*>(stack.data());
    const auto* const end = reinterpret_cast<const void* const*>(stack.data() + stack.size());
    if (words < begin || words >= end) return site;
    Known& last = known(site);
    if (last.site == site) {
        if (last.words == 0) return site;
        if (last.words < static_cast<std::size_t>(end - words) && may_be_in_program(words[last.words])) {
            return words[last.words];
        }
    }
    last = {.site = site};
    if (!is_in_library(site)) return site;
    Found found{.callers = this};
    _Unwind_Backtrace(look_at, &found);
    last = {};
    if (found.address == nullptr || !is_in_program(found.address)) return site;
    const auto* const library_end = reinterpret_cast<const void* const*>(found.library_end);
    for (const void* const* word = std::min(library_end, end); word > words; --word) {
        if (word[-1] != found.address) continue;
        last = {.site = site, .words = static_cast<std::size_t>(word - 1 - words)};
        break;
    }
    return found.address;
}

const void* program_caller(const void* site, const void* frame) {
    if (program_callers == nullptr || !program_callers->has_library()) return site;
    const host::LiveRank* const rank = host::LiveRank::current();
    if (rank == nullptr) return site;
    return program_callers->caller(site, frame, rank->host().stacks().stack(rank->id().index()));
}

}  // namespace haichi::abi::mpich
