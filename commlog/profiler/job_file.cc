#include "commlog/profiler/job_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/new_file_mode.h"
#include "commlog/log/job_file_header.h"
#include "commlog/log/profile_memory.h"

namespace haichi::profiler {

namespace {

/// The path of the unfinished job file, for a signal handler.
char temporary[PATH_MAX];
std::atomic<bool> has_temporary{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// Sets the template "DIRECTORY/.NAME.XXXXXX", in which a very long name is truncated.
bool set_template(const std::string& path) {
    constexpr std::size_t kLongestName = 200;
    const std::size_t slash = path.rfind('/');
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const int length = std::snprintf(temporary, sizeof(temporary), "%s.%s.XXXXXX", path.substr(0, begin).c_str(),
                                     path.substr(begin, kLongestName).c_str());
    if (length > 0 && static_cast<std::size_t>(length) < sizeof(temporary)) return true;
    errno = ENAMETOOLONG;
    return false;
}

}  // namespace

bool has_job_file(const char* name) {
    struct stat status {};
    return lstat((std::string(name) + ".haichi-log").c_str(), &status) == 0;
}

JobFile::JobFile(const char* name, int ranks) : name_(name), path_(name_ + ".haichi-log") {
    // Set before the file exists, because a signal may arrive in between.
    has_temporary = set_template(path_);
    // exclusive: does not open a link or the file of another user.
    if (has_temporary) file_ = mkostemp(temporary, O_CLOEXEC);
    if (file_ < 0) {
        error_ = errno;
        has_temporary = false;
    }
    JobFileHeader header{};
    std::memcpy(header.magic, kJobMagic, sizeof(header.magic));
    header.version = kJobVersion;
    header.byte_order = kByteOrder;
    header.records = static_cast<std::uint64_t>(ranks);
    write(&header, sizeof(header));
}

JobFile::~JobFile() {
    if (file_ >= 0) close(file_);
    remove_unfinished_job_file();
}

void JobFile::write(const void* bytes, std::size_t size) {
    const char* at = static_cast<const char*>(bytes);
    while (error_ == 0 && size != 0) {
        const ssize_t count = ::write(file_, at, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            error_ = errno;
            return;
        }
        at += count;
        size -= static_cast<std::size_t>(count);
    }
}

void JobFile::write_record(std::span<const std::byte> record) {
    const std::uint64_t size = record.size();
    write(&size, sizeof(size));
    write(record.data(), record.size());
}

bool JobFile::rename_to(const std::string& path) const {
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno == EEXIST) return false;
    // File systems on which the call above fails either support links or have only one user.
    if (link(temporary, path.c_str()) == 0) return unlink(temporary) == 0;
    if (errno == EEXIST) return false;
    struct stat status {};
    if (lstat(path.c_str(), &status) == 0) {
        errno = EEXIST;
        return false;
    }
    return std::rename(temporary, path.c_str()) == 0;
}

bool JobFile::commit() {
    constexpr int kMostNames = 100'000;
    if (error_ == 0 && (fchmod(file_, new_file_mode()) != 0 || fsync(file_) != 0)) error_ = errno;
    for (int number = 2; error_ == 0 && !rename_to(path_); ++number) {
        if (errno != EEXIST || number == kMostNames) {
            error_ = errno;
        } else {
            path_ = name_ + "-" + std::to_string(number) + ".haichi-log";
        }
    }
    if (error_ == 0) has_temporary = false;
    errno = error_;
    return error_ == 0;
}

void remove_unfinished_job_file() {
    if (has_temporary.exchange(false)) unlink(temporary);
}

}  // namespace haichi::profiler
