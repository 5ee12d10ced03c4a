/* The static libraries of GCC 12 and of Debian 12 call a few functions that are newer than glibc 2.28. This file
   defines these functions with older ones. scripts/portable_sysroot.sh compiles it into the sysroot. Each -lc of a link
   finds it before the C library. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* glibc 2.32: whether the process has only one thread. 0 is always correct, but makes reference counters atomic. */
HIDDEN char __libc_single_threaded = 0;

/* glibc 2.36: used by std::random_device, and by Expat for its hash seed. */
HIDDEN void arc4random_buf(void* buffer, size_t size) {
    unsigned char* at = buffer;
    while (size > 0) {
        const ssize_t count = getrandom(at, size, 0);
        if (count < 0 && errno != EINTR) abort();
        if (count <= 0) continue;
        at += count;
        size -= (size_t)count;
    }
}

HIDDEN uint32_t arc4random(void) {
    uint32_t value;
    arc4random_buf(&value, sizeof value);
    return value;
}

/* glibc 2.35: finds the loaded object that contains an address, for the unwinder of GCC 12. x86-64 and AArch64 have
   this layout of the result. */
struct dl_find_object {
    unsigned long long flags;
    void* map_start;
    void* map_end;
    struct link_map* link_map;
    void* eh_frame;
    unsigned long long reserved[7];
};

struct search {
    ElfW(Addr) address;
    struct dl_find_object* result;
};

static int contains_address(struct dl_phdr_info* object, size_t size, void* data) {
    struct search* search = data;
    ElfW(Addr) start = (ElfW(Addr)) - 1, end = 0, eh_frame = 0;
    int found = 0;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* part = &object->dlpi_phdr[i];
        const ElfW(Addr) first = object->dlpi_addr + part->p_vaddr, last = first + part->p_memsz;
        if (part->p_type == PT_GNU_EH_FRAME) eh_frame = first;
        if (part->p_type != PT_LOAD) continue;
        if (first < start) start = first;
        if (last > end) end = last;
        if (search->address >= first && search->address < last) found = 1;
    }
    if (!found || eh_frame == 0) return 0;
    search->result->map_start = (void*)start;
    search->result->map_end = (void*)end;
    search->result->eh_frame = (void*)eh_frame;
    return 1;
}

HIDDEN int haichi_find_object(void* address, struct dl_find_object* result) {
    struct search search = {(ElfW(Addr))address, result};
    *result = (struct dl_find_object){0};
    return dl_iterate_phdr(contains_address, &search) == 1 ? 0 : -1;
}

/* This definition is weak, because the library of live programs has its own function of this name, which programs also
   use. */
__attribute__((weak)) int _dl_find_object(void* address, struct dl_find_object* result) {
    return haichi_find_object(address, result);
}
