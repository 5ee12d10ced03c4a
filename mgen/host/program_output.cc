#include "mgen/host/program_output.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

#include "base/errors.h"

namespace haichi::host {

void OutputLines::add(RankId rank, std::int64_t now_ps, std::string_view text) {
    std::string& partial = partial_[rank.index()];
    const std::size_t end = text.rfind('\n');
    if (end == std::string_view::npos) {
        partial += text;
        return;
    }
    partial += text.substr(0, end + 1);
    lines_.push_back({now_ps, rank, number_++, std::exchange(partial, std::string(text.substr(end + 1)))});
    if (lines_.size() > 1 && lines_.back() < lines_[lines_.size() - 2]) is_sorted_ = false;
}

void OutputLines::end(RankId rank, std::int64_t now_ps) {
    if (!partial_[rank.index()].empty()) add(rank, now_ps, "\n");
}

void OutputLines::sort() noexcept {
    if (!std::exchange(is_sorted_, true)) std::sort(lines_.begin(), lines_.end());
}

std::string OutputLines::take(std::vector<Line>::iterator end) {
    std::string text;
    for (auto line = lines_.begin(); line != end; ++line) text += line->text;
    lines_.erase(lines_.begin(), end);
    return text;
}

std::string OutputLines::take_before(std::int64_t time_ps) {
    sort();
    return take(std::ranges::lower_bound(lines_, time_ps, {}, &Line::time_ps));
}

std::string OutputLines::take_all() {
    sort();
    std::string text = take(lines_.end());
    for (std::string& partial : partial_) {
        if (partial.empty()) continue;
        text += std::exchange(partial, {});
        text += '\n';
    }
    return text;
}

namespace {

[[noreturn]] void refuse(const char* what) {
    throw InputError(std::string("standard output of the ranks: ") + what + ": " + std::strerror(errno));
}

}  // namespace

ProgramOutput::ProgramOutput(std::int32_t ranks, Sink sink) : sink_(std::move(sink)), lines_(ranks) {
    std::fflush(stdout);
    real_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (real_ < 0) refuse("cannot duplicate the descriptor");
    memory_ = ::memfd_create("standard output", MFD_CLOEXEC);
    if (memory_ < 0 || ::dup2(memory_, STDOUT_FILENO) < 0) {
        ::close(real_);
        refuse("cannot create a file in memory");
    }
    descriptors_.emplace();
    input_ = stdin;
    no_input_ = std::fopen("/dev/null", "re");
}

ProgramOutput::~ProgramOutput() {
    std::fflush(stdout);
    descriptors_.reset();
    ::dup2(real_, STDOUT_FILENO);
    ::close(real_);
    ::close(memory_);
    stdin = input_;
    if (no_input_ != nullptr) std::fclose(no_input_);
}

void ProgramOutput::put_in_place(RankId rank) {
    const auto own = own_input_.find(rank.value);
    if (own != own_input_.end()) {
        stdin = own->second;
    } else {
        stdin = rank == RankId(0) || no_input_ == nullptr ? input_ : no_input_;
    }
}

void ProgramOutput::has_replaced(RankId rank, int descriptor) {
    descriptors_->note_change(descriptor);
    if (descriptor != STDIN_FILENO) return;
    // The C library's stream reads another descriptor, or has already buffered other input.
    const int copy = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (std::FILE* const file = copy < 0 ? nullptr : ::fdopen(copy, "r"); file != nullptr) replace_input(rank, file);
}

void ProgramOutput::replace_input(RankId rank, std::FILE* file) {
    std::FILE* const earlier = std::exchange(own_input_[rank.value], file);
    stdin = file;
    if (earlier != nullptr) std::fclose(earlier);
}

std::string_view ProgramOutput::written(RankId rank) {
    if (std::fflush(stdout) != 0) {
        if (!owns(rank, STDOUT_FILENO)) refuse("cannot write");
        ::__fpurge(stdout);  // the rank has closed its standard output, or cannot write to its file
        std::clearerr(stdout);
    }
    std::cout.flush();
    // Both descriptors refer to one open file, so the file position is the end of the written text.
    const off_t end = ::lseek(memory_, 0, SEEK_CUR);
    if (end <= 0) return {};
    buffer_.resize(static_cast<std::size_t>(end));
    std::size_t have = 0;
    while (have < buffer_.size()) {
        const ssize_t count = ::pread(memory_, buffer_.data() + have, buffer_.size() - have, static_cast<off_t>(have));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) refuse("cannot read back");
        have += static_cast<std::size_t>(count);
    }
    constexpr off_t kMostKept = 1 << 20;
    if (end > kMostKept && ::ftruncate(memory_, 0) != 0) refuse("cannot truncate");
    if (::lseek(memory_, 0, SEEK_SET) < 0) refuse("cannot rewind");
    return buffer_;
}

void ProgramOutput::has_stopped(RankId rank, std::int64_t now_ps) {
    const std::string_view text = written(rank);
    if (!text.empty()) lines_.add(rank, now_ps, text);
    descriptors_->leave(rank);
}

void ProgramOutput::has_ended(RankId rank, std::int64_t now_ps) {
    lines_.end(rank, now_ps);
    descriptors_->end(rank);
    if (const auto own = own_input_.find(rank.value); own != own_input_.end()) {
        std::fclose(own->second);
        own_input_.erase(own);
        stdin = no_input_;
    }
}

void ProgramOutput::advance(std::int64_t time_ps) {
    if (lines_.empty()) return;
    if (const std::string text = lines_.take_before(time_ps); !text.empty()) sink_(text);
}

void ProgramOutput::flush() {
    if (const std::string text = lines_.take_all(); !text.empty()) sink_(text);
}

void ProgramOutput::write_rest() noexcept {
    descriptors_->restore();
    const auto write_all = [&](std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::write(real_, text.data(), text.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return;
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    };
    lines_.for_each(write_all);
    const off_t end = ::lseek(memory_, 0, SEEK_CUR);
    std::array<char, 4096> part{};
    for (off_t at = 0; at < end;) {
        const auto want = std::min(part.size(), static_cast<std::size_t>(end - at));
        const ssize_t count = ::pread(memory_, part.data(), want, at);
        if (count <= 0) return;
        write_all({part.data(), static_cast<std::size_t>(count)});
        at += count;
    }
}

}  // namespace haichi::host
