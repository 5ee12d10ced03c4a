#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"

namespace haichi {

/// The characters of a text or a file, a chunk in memory at a time, with the line of the last one handed out. A parser
/// that reads at most one character beyond a token sees in `line()` the line on which the token ended: a newline is
/// counted when the character after it is consumed. Lets JSON readers take files of any size in constant memory.
class TextStream {
  public:
    /// A text in memory, which must outlive the stream. `file` names it in errors.
    TextStream(std::string_view text, std::string file);
    /// Called with the length of each chunk that was read from the file.
    using OnChunk = std::function<void(std::size_t bytes)>;
    /// A file, "-" for standard input. Throws InputError naming it when it cannot be read.
    static TextStream open(const std::string& path, OnChunk on_chunk = {});

    [[nodiscard]] SourcePlace place() const { return {file_, line_}; }
    [[nodiscard]] std::size_t line() const { return line_; }

    /// Fetches the next chunk when needed. Throws InputError for NUL bytes, which no text format here allows (and which
    /// the JSON lexer would take for the end), for a read error, and for a token that is out of all proportion.
    [[nodiscard]] bool at_end() { return at_ == end_ && !refill(); }
    [[nodiscard]] const char& current() const { return *at_; }
    void advance() {
        if (pending_newline_) ++line_;
        pending_newline_ = *at_ == '\n';
        ++at_;
    }

    /// What lies ahead, unread: the whole of the next chunk and at most 1 MiB of it, up to its first NUL byte. Lets a
    /// reader be chosen by content, also where the text can be read only once. Throws InputError for a read error.
    [[nodiscard]] std::string_view prefix();
    /// The text is known to end with prefix().
    [[nodiscard]] bool prefix_is_all();

    /// To be called for every token understood. Without it, text longer than 64 MiB is an error: the parser keeps the
    /// token it is in, and an endless number must not fill the memory.
    void note_progress() { chunks_without_progress_ = 0; }

  private:
    static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
    static constexpr int kMostChunksWithoutProgress = 64;

    struct Close {
        void operator()(std::FILE* file) const {
            if (file != stdin) std::fclose(file);
        }
    };

    explicit TextStream(std::string file) : file_(std::move(file)) {}
    bool refill();
    /// Makes `text` the current chunk, up to its first NUL byte.
    void set_chunk(std::string_view text);

    std::string file_;
    std::size_t line_ = 1;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    bool pending_newline_ = false;
    bool nul_follows_ = false;
    int chunks_without_progress_ = 0;
    std::unique_ptr<std::FILE, Close> handle_;  ///< null for a text in memory and at the end of a file
    std::vector<char> chunk_;
    OnChunk on_chunk_;
};

/// A TextStream as the pair of input iterators that nlohmann's parser takes; a default-constructed one is the end.
class TextStreamIterator {
  public:
    using difference_type = std::ptrdiff_t;
    using value_type = char;
    using pointer = const char*;
    using reference = const char&;
    using iterator_category = std::input_iterator_tag;

    TextStreamIterator() = default;
    explicit TextStreamIterator(TextStream* stream) : stream_(stream) {}

    reference operator*() const { return stream_->current(); }
    TextStreamIterator& operator++() {
        stream_->advance();
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const TextStreamIterator& a, const TextStreamIterator& b) {
        return (a.stream_ == nullptr || a.stream_->at_end()) == (b.stream_ == nullptr || b.stream_->at_end());
    }
    friend bool operator!=(const TextStreamIterator& a, const TextStreamIterator& b) { return !(a == b); }

  private:
    TextStream* stream_ = nullptr;
};

}  // namespace haichi
