// Standard descriptors and streams. Each rank can replace its own ones.

#include "cli/live/libc_call.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

// NOLINTBEGIN(readability-identifier-naming): names of the C library

using namespace haichi;
using namespace haichi::cli;
using host::LiveRank;
using host::RankDescriptors;

namespace {

/// The output of the ranks if a rank makes the call for a standard descriptor, or else null.
host::ProgramOutput* output_of(const LiveRank* rank, int descriptor) {
    return rank != nullptr && RankDescriptors::is_standard(descriptor) ? LiveProgram::running()->output() : nullptr;
}

/// The standard descriptor of a standard stream, or -1.
int descriptor_of(const std::FILE* stream) {
    if (stream == stdin) return STDIN_FILENO;
    if (stream == stdout) return STDOUT_FILENO;
    return stream == stderr ? STDERR_FILENO : -1;
}

std::FILE* reopen(const char* name, const char* path, const char* mode, std::FILE* stream) {
    const LiveRank* const rank = calling_rank();
    const int descriptor = descriptor_of(stream);
    host::ProgramOutput* const output = output_of(rank, descriptor);
    using Reopen = std::FILE*(const char*, const char*, std::FILE*);
    if (output == nullptr || path == nullptr) return real<Reopen>(name)(path, mode, stream);
    std::fflush(stream);
    std::FILE* const file = std::fopen(path, mode);
    const int error = errno;
    const int source = file != nullptr ? ::fileno(file) : ::open("/dev/null", O_RDWR | O_CLOEXEC);
    real<int(int, int)>("dup2")(source, descriptor);
    output->has_replaced(rank->id(), descriptor);
    file != nullptr ? (void)std::fclose(file) : (void)::close(source);
    errno = error;
    if (file == nullptr) return nullptr;
    return descriptor == STDIN_FILENO ? stdin : stream;
}

}  // namespace

HAICHI_LIBC_CALL(int, dup2, (int from, int to)) {
    const LiveRank* const rank = calling_rank();
    host::ProgramOutput* const output = from == to ? nullptr : output_of(rank, to);
    if (output != nullptr && to == STDOUT_FILENO) std::fflush(stdout);
    const int result = real<int(int, int)>("dup2")(from, to);
    if (output != nullptr && result >= 0) output->has_replaced(rank->id(), to);
    return result;
}

HAICHI_LIBC_CALL(int, dup3, (int from, int to, int flags)) {
    const LiveRank* const rank = calling_rank();
    host::ProgramOutput* const output = output_of(rank, to);
    if (output != nullptr && to == STDOUT_FILENO) std::fflush(stdout);
    const int result = real<int(int, int, int)>("dup3")(from, to, flags);
    if (output != nullptr && result >= 0) output->has_replaced(rank->id(), to);
    return result;
}

HAICHI_LIBC_CALL(int, close, (int descriptor)) {
    static auto* const real_close = real<int(int)>("close");
    const LiveRank* const rank = calling_rank();
    host::ProgramOutput* const output = output_of(rank, descriptor);
    if (output != nullptr && descriptor == STDOUT_FILENO) std::fflush(stdout);
    const int result = real_close(descriptor);
    if (output != nullptr && result == 0) output->has_replaced(rank->id(), descriptor);
    return result;
}

HAICHI_LIBC_CALL(std::FILE*, freopen, (const char* path, const char* mode, std::FILE* stream)) {
    return reopen("freopen", path, mode, stream);
}

HAICHI_LIBC_CALL(std::FILE*, freopen64, (const char* path, const char* mode, std::FILE* stream)) {
    return reopen("freopen64", path, mode, stream);
}

// The stream is reopened as /dev/null for the rank, but the stream itself stays open for the other ranks.
HAICHI_LIBC_CALL(int, fclose, (std::FILE * stream)) {
    static auto* const real_fclose = real<int(std::FILE*)>("fclose");
    const LiveRank* const rank = calling_rank();
    if (rank == nullptr || descriptor_of(stream) < 0) return real_fclose(stream);
    const int result = std::fflush(stream);
    return reopen("freopen", "/dev/null", "r+", stream) == nullptr ? EOF : result;
}

HAICHI_LIBC_CALL(ssize_t, read, (int descriptor, void* to, size_t bytes)) {
    static auto* const real_read = real<ssize_t(int, void*, size_t)>("read");
    const LiveRank* const rank = calling_rank();
    if (rank != nullptr && descriptor == STDIN_FILENO && rank->id() != RankId(0) &&
        !LiveProgram::running()->output()->owns(rank->id(), descriptor)) {
        return 0;
    }
    return real_read(descriptor, to, bytes);
}

// All ranks share the buffer of standard output, and a stream may outlive its rank. Buffers that ranks provide are
// therefore ignored.
HAICHI_LIBC_CALL(int, setvbuf, (FILE * stream, char* buffer, int mode, size_t bytes)) {
    if (calling_rank() != nullptr) buffer = nullptr;
    return real<int(FILE*, char*, int, size_t)>("setvbuf")(stream, buffer, mode, bytes);
}

HAICHI_LIBC_CALL(void, setbuf, (FILE * stream, char* buffer)) {
    if (calling_rank() == nullptr) return real<void(FILE*, char*)>("setbuf")(stream, buffer);
    if (buffer == nullptr) real<int(FILE*, char*, int, size_t)>("setvbuf")(stream, nullptr, _IONBF, 0);
}

HAICHI_LIBC_CALL(void, setbuffer, (FILE * stream, char* buffer, size_t bytes)) {
    if (calling_rank() == nullptr) return real<void(FILE*, char*, size_t)>("setbuffer")(stream, buffer, bytes);
    if (buffer == nullptr) real<int(FILE*, char*, int, size_t)>("setvbuf")(stream, nullptr, _IONBF, 0);
}

// NOLINTEND(readability-identifier-naming)
