#pragma once

#include <sys/mman.h>

#include <memory>
#include <new>

#include "commlog/log/call_log_memory.h"

namespace haichi {

struct Unmap {
    void operator()(CallLogMemory* memory) const { ::munmap(memory, sizeof(CallLogMemory)); }
};
using FreshMemory = std::unique_ptr<CallLogMemory, Unmap>;

/// Zero pages that take memory only once they are touched. calloc() would write the whole memory for each of many
/// ranks.
inline FreshMemory fresh_memory() {
    void* const pages =
        ::mmap(nullptr, sizeof(CallLogMemory), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return FreshMemory(static_cast<CallLogMemory*>(pages));
}

}  // namespace haichi
