#include "commlog/profiler/part_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace haichi::profiler {

namespace {

int part = -1;

ProfileMemory* map(int file) {
    const int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const memory = mmap(nullptr, sizeof(ProfileMemory), PROT_READ | PROT_WRITE, flags, file, 0);
    if (memory == MAP_FAILED) return nullptr;
    // A child of fork() must not write to its parent's file.
    madvise(memory, sizeof(ProfileMemory), MADV_DONTFORK);
    return static_cast<ProfileMemory*>(memory);
}

}  // namespace

bool reserve_part(int file, std::size_t offset, std::size_t size) {
    if (fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0) return true;
    // Some file systems cannot reserve space, so the disk may become full later. This risk is accepted.
    return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR;
}

bool reserve_thread(std::uint32_t number) {
    if (part < 0) return true;
    return reserve_part(part, offsetof(ProfileMemory, threads) + number * sizeof(ThreadMemory), sizeof(ThreadMemory));
}

ProfileMemory* map_part(const char* path, int& error) {
    error = 0;
    rlimit most{};
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < sizeof(ProfileMemory)) {
        // Writing beyond the limit would end the process by SIGXFSZ.
        errno = EFBIG;
    } else {
        part = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    }
    if (part >= 0 && ftruncate(part, sizeof(ProfileMemory)) == 0 &&
        reserve_part(part, 0, offsetof(ProfileMemory, threads) + sizeof(ThreadMemory))) {
        if (ProfileMemory* const memory = map(part); memory != nullptr) return memory;
    }
    error = errno;
    if (part < 0 && error == EEXIST) return nullptr;
    if (part >= 0) {
        close(part);
        unlink(path);
        part = -1;
    }
    return map(-1);
}

void remove_part(const char* path) {
    struct stat own {};
    struct stat named {};
    if (part < 0 || fstat(part, &own) != 0 || lstat(path, &named) != 0) return;
    if (own.st_ino == named.st_ino && own.st_dev == named.st_dev) unlink(path);
}

void unmap_part(ProfileMemory* memory) {
    munmap(memory, sizeof(ProfileMemory));
    if (part >= 0) close(part);
    part = -1;
}

}  // namespace haichi::profiler
