#include "base/output_stream.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors.h"

namespace haichi {

namespace {

/// Locks the file, so that other runs see that this run writes it. Returns true if another run has locked it, and false
/// if files cannot be locked.
bool is_written_by_another(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    return ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

OutputStream::OutputStream(std::string path) : std::ostream(nullptr), path_(std::move(path)) { rdbuf(&lines_); }

OutputStream::~OutputStream() {
    (void)lines_.close();
    discard();
}

void OutputStream::open() {
    constexpr mode_t kMode = 0666;
    int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    is_new_ = descriptor >= 0;
    if (!is_new_) descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode);
    if (descriptor < 0) throw OptionError("cannot write " + path_ + ": " + std::strerror(errno));
    if (is_written_by_another(descriptor)) {
        ::close(descriptor);
        is_new_ = false;  // the file belongs to the other run
        throw OptionError("cannot write " + path_ + ": another run is writing it",
                          "wait for it, or give the output another name");
    }
    lines_.take(descriptor);
}

void OutputStream::discard() noexcept {
    if (is_new_ && !lines_.has_begun()) ::unlink(path_.c_str());
}

void OutputStream::close() {
    flush();
    if (lines_.begin() && lines_.close() && good()) return;
    throw InputError("cannot write all of " + path_ + ": " + std::strerror(errno));
}

OutputStream::Lines::~Lines() { (void)close(); }

bool OutputStream::Lines::close() {
    if (descriptor_ < 0) return true;
    const bool is_whole = write(kept_.size());
    const int reason = errno;
    const bool is_closed = ::close(descriptor_) == 0;
    descriptor_ = -1;
    if (!is_whole) errno = reason;
    return is_whole && is_closed;
}

OutputStream::Lines::int_type OutputStream::Lines::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char character = traits_type::to_char_type(c);
    return xsputn(&character, 1) == 1 ? c : traits_type::eof();
}

std::streamsize OutputStream::Lines::xsputn(const char* text, std::streamsize length) {
    constexpr std::size_t kMostKept = std::size_t{1} << 16;
    kept_.append(text, static_cast<std::size_t>(length));
    return kept_.size() < kMostKept || sync() == 0 ? length : 0;
}

int OutputStream::Lines::sync() {
    const std::size_t end = kept_.rfind('\n');
    return end == std::string::npos || write(end + 1) ? 0 : -1;
}

bool OutputStream::Lines::begin() {
    if (has_begun_.exchange(true)) return true;
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 && (!S_ISREG(status.st_mode) || ::ftruncate(descriptor_, 0) == 0);
}

bool OutputStream::Lines::write(std::size_t length) {
    if (length == 0) return true;
    if (!begin()) return false;
    std::size_t done = 0;
    while (done < length) {
        const ssize_t count = ::write(descriptor_, kept_.data() + done, length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        done += static_cast<std::size_t>(count);
    }
    const bool is_whole = done == length;
    if (!is_whole) done = whole_lines(done);
    kept_.erase(0, done);
    return is_whole;
}

std::size_t OutputStream::Lines::whole_lines(std::size_t count) {
    const int reason = errno;
    const std::size_t line_end = count == 0 ? std::string::npos : kept_.rfind('\n', count - 1);
    const std::size_t whole = line_end == std::string::npos ? 0 : line_end + 1;
    const off_t end = ::lseek(descriptor_, 0, SEEK_CUR) - static_cast<off_t>(count - whole);
    if (end >= 0 && ::ftruncate(descriptor_, end) == 0) {
        ::lseek(descriptor_, end, SEEK_SET);
        has_begun_ = end > 0;
    }
    errno = reason;
    return whole;
}

}  // namespace haichi
