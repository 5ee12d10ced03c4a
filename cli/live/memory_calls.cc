// Memory allocation. Code of ranks allocates from the rank's own heap (RankHeaps). All other code, including haichi,
// uses the next allocator.

#include "cli/live/memory_calls.h"

#include <malloc.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <new>
#include <span>
#include <sstream>

#include "cli/live/libc_call.h"
#include "mgen/host/address_space.h"

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): names of the C library

using namespace haichi;
using namespace haichi::cli;
using host::LiveRank;
using host::RankHeaps;

#define CALLER __builtin_return_address(0)

namespace {

/// The next allocator in the search order, which is in the C library or in a preloaded library. It is used before
/// anything is initialised.
struct NextAllocator {
    void* (*malloc)(size_t);
    void* (*calloc)(size_t, size_t);
    void* (*realloc)(void*, size_t);
    void (*free)(void*);
    void* (*memalign)(size_t, size_t);
    size_t (*malloc_usable_size)(void*);
    bool is_known;
    bool is_being_found;
};
NextAllocator next_allocator;

/// An allocator that always fails. Up to glibc 2.33, dlsym() allocates a block for its error message, but uses a static
/// block if this fails.
constexpr NextAllocator kNoMemory{
    .malloc = [](size_t) -> void* { return nullptr; },
    .calloc = [](size_t, size_t) -> void* { return nullptr; },
    .realloc = [](void*, size_t) -> void* { return nullptr; },
    .free = [](void*) {},
    .memalign = [](size_t, size_t) -> void* { return nullptr; },
    .malloc_usable_size = [](void*) -> size_t { return 0; },
    .is_known = true,
    .is_being_found = false,
};

void find(NextAllocator& next) {
    next.is_being_found = true;
    next.malloc = real<void*(size_t)>("malloc");
    next.calloc = real<void*(size_t, size_t)>("calloc");
    next.realloc = real<void*(void*, size_t)>("realloc");
    next.free = real<void(void*)>("free");
    next.memalign = real<void*(size_t, size_t)>("memalign");
    next.malloc_usable_size = real<size_t(void*)>("malloc_usable_size");
    next.is_known = true;
}

const NextAllocator& next() {
    if (!next_allocator.is_known) {
        if (next_allocator.is_being_found) return kNoMemory;
        find(next_allocator);
    }
    return next_allocator;
}

/// The heap for allocations of this code, or null if the code allocates for the whole process.
RankHeaps* heap_for(const void* code, const LiveRank*& rank) {
    RankHeaps* const heaps = LiveProgram::heaps();
    if (heaps == nullptr) return nullptr;
    rank = calling_rank();
    return rank != nullptr && heaps->is_of_ranks(code) ? heaps : nullptr;
}

void* allocate(size_t bytes, const void* code, size_t alignment = RankHeaps::kAlignment) {
    const LiveRank* rank = nullptr;
    RankHeaps* const heaps = heap_for(code, rank);
    return heaps == nullptr ? nullptr : heaps->allocate(rank->id(), bytes, alignment);
}

void* allocate_zeros(size_t count, size_t bytes, const void* code) {
    const LiveRank* rank = nullptr;
    RankHeaps* const heaps = heap_for(code, rank);
    size_t all_bytes = 0;
    if (heaps == nullptr || __builtin_mul_overflow(count, bytes, &all_bytes)) return nullptr;
    return heaps->allocate_zeros(rank->id(), all_bytes);
}

void* allocate_aligned(size_t alignment, size_t bytes, const void* code) {
    void* const block = std::has_single_bit(alignment) ? allocate(bytes, code, alignment) : nullptr;
    return block != nullptr ? block : next().memalign(alignment, bytes);
}

[[noreturn]] void refuse_block(LiveRank& rank, const char* function, const void* block, const void* site) {
    std::ostringstream call;
    call << "calls " << function << '(' << block << ')';
    // During an MPI call, haichi itself frees the block, so the site of this call is reported.
    if (rank.call_name != nullptr) site = rank.call_site;
    rank.fail_at(site, call.str() + " for a block that it does not own or has already freed",
                 "correct the program, because the call is an error with every MPI library");
}

/// Refuses addresses on the rank's stack and in variables, which no allocator has returned. The C library would abort
/// without naming a line.
void check_is_allocated(const char* function, const void* block, const void* code) {
    LiveRank* const rank = calling_rank();
    if (rank == nullptr || block == nullptr || !LiveProgram::heaps()->is_of_ranks(code)) return;
    const std::span<const std::byte> stack = rank->host().stacks().stack(rank->id().index());
    const bool is_on_stack =
        static_cast<std::size_t>(static_cast<const std::byte*>(block) - stack.data()) < stack.size();
    if (is_on_stack || LiveProgram::running()->module_offset(block).module != nullptr) {
        refuse_block(*rank, function, block, code);
    }
}

void* reallocate(void* block, size_t bytes, const void* code) {
    if (block == nullptr) {
        void* const added = allocate(bytes, code);
        return added != nullptr ? added : next().malloc(bytes);
    }
    RankHeaps* const heaps = LiveProgram::heaps();
    if (heaps == nullptr) return next().realloc(block, bytes);
    if (!heaps->contains(block)) {
        check_is_allocated("realloc", block, code);
        return next().realloc(block, bytes);
    }
    LiveRank* const rank = calling_rank();
    if (rank == nullptr) return nullptr;
    if (heaps->bytes_of(block) == 0) refuse_block(*rank, "realloc", block, code);
    if (bytes == 0) {
        (void)heaps->free(block);
        return nullptr;
    }
    void* const moved = heaps->reallocate(block, bytes);
    if (moved == nullptr) errno = ENOMEM;
    return moved;
}

}  // namespace

bool haichi::cli::allocator_is_of_libc() {
    const auto module_of = [](void* function) {
        Dl_info info{};
        return ::dladdr(function, &info) == 0 ? nullptr : info.dli_fbase;
    };
    void* const libc = ::dlsym(RTLD_NEXT, "__libc_start_main");
    return module_of(::dlsym(RTLD_DEFAULT, "malloc")) == module_of(reinterpret_cast<void*>(&allocator_is_of_libc)) &&
           module_of(reinterpret_cast<void*>(next().malloc)) == module_of(libc);
}

// ---- C --------------------------------------------------------------------------------------------------------------

HAICHI_LIBC_CALL(void*, malloc, (size_t bytes)) {
    void* const block = allocate(bytes, CALLER);
    return block != nullptr ? block : next().malloc(bytes);
}

HAICHI_LIBC_CALL(void*, calloc, (size_t count, size_t bytes)) {
    void* const block = allocate_zeros(count, bytes, CALLER);
    return block != nullptr ? block : next().calloc(count, bytes);
}

HAICHI_LIBC_CALL(void*, realloc, (void* block, size_t bytes)) { return reallocate(block, bytes, CALLER); }

HAICHI_LIBC_CALL(void*, reallocarray, (void* block, size_t count, size_t bytes)) {
    size_t all_bytes = 0;
    if (!__builtin_mul_overflow(count, bytes, &all_bytes)) return reallocate(block, all_bytes, CALLER);
    errno = ENOMEM;
    return nullptr;
}

HAICHI_LIBC_CALL(void, free, (void* block)) {
    RankHeaps* const heaps = LiveProgram::heaps();
    if (heaps == nullptr) return next().free(block);
    if (!heaps->contains(block)) {
        check_is_allocated("free", block, CALLER);
        return next().free(block);
    }
    LiveRank* const rank = calling_rank();
    // After the ranks have ended, nothing needs the block, so it is not freed.
    if (rank != nullptr && !heaps->free(block)) refuse_block(*rank, "free", block, CALLER);
}

HAICHI_LIBC_CALL(void*, memalign, (size_t alignment, size_t bytes)) {
    return allocate_aligned(alignment, bytes, CALLER);
}

HAICHI_LIBC_CALL(void*, aligned_alloc, (size_t alignment, size_t bytes)) {
    return allocate_aligned(alignment, bytes, CALLER);
}

HAICHI_LIBC_CALL(int, posix_memalign, (void** to, size_t alignment, size_t bytes)) {
    if (alignment % sizeof(void*) != 0 || !std::has_single_bit(alignment)) return EINVAL;
    void* const block = allocate_aligned(alignment, bytes, CALLER);
    if (block == nullptr) return ENOMEM;
    *to = block;
    return 0;
}

HAICHI_LIBC_CALL(void*, valloc, (size_t bytes)) { return allocate_aligned(host::page_bytes(), bytes, CALLER); }

HAICHI_LIBC_CALL(void*, pvalloc, (size_t bytes)) {
    const size_t page = host::page_bytes();
    return allocate_aligned(page, (bytes + page - 1) / page * page, CALLER);
}

HAICHI_LIBC_CALL(size_t, malloc_usable_size, (void* block)) {
    const RankHeaps* const heaps = LiveProgram::heaps();
    return heaps != nullptr && heaps->contains(block) ? heaps->bytes_of(block) : next().malloc_usable_size(block);
}

// ---- C++ ------------------------------------------------------------------------------------------------------------
// Ranks share the C++ library, so its operators new are wrapped here, where the calling code is known. The real
// operators handle an exhausted heap.

/// The operator new for C programs in the build for old systems, in which only this library contains the C++ library.
void* new_without_library(size_t bytes, size_t alignment) {
    if (void* const block = next().memalign(alignment, bytes); block != nullptr) return block;
    throw std::bad_alloc();
}

#define HAICHI_NEW(name, parameters, bytes, alignment, ...)                                         \
    HAICHI_LIBC_CALL(void*, name, parameters) {                                                     \
        static auto* const real_new = real<void * parameters>(#name);                               \
        void* const block = allocate(bytes, CALLER, alignment);                                     \
        if (block != nullptr) return block;                                                         \
        return real_new != nullptr ? real_new(__VA_ARGS__) : new_without_library(bytes, alignment); \
    }

HAICHI_NEW(_Znwm, (size_t bytes), bytes, RankHeaps::kAlignment, bytes)
HAICHI_NEW(_Znam, (size_t bytes), bytes, RankHeaps::kAlignment, bytes)
HAICHI_NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const std::nothrow_t& none), bytes, RankHeaps::kAlignment, bytes, none)
HAICHI_NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const std::nothrow_t& none), bytes, RankHeaps::kAlignment, bytes, none)
HAICHI_NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), bytes, alignment, bytes, alignment)
HAICHI_NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), bytes, alignment, bytes, alignment)
HAICHI_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const std::nothrow_t& none), bytes,
           alignment, bytes, alignment, none)
HAICHI_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const std::nothrow_t& none), bytes,
           alignment, bytes, alignment, none)

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
