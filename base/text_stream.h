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

/// The characters of a text or a file, with one chunk in memory at a time, and the line of the last returned character.
/// A newline is counted when the next character is consumed. A parser that reads at most one character beyond a token
/// thus finds the last line of the token in `line()`. JSON readers can read files of any size in constant memory.
class TextStream {
  public:
    /// Reads a text in memory, which must outlive the stream. `file` is its name in errors.
    TextStream(std::string_view text, std::string file);
    /// Called with the length of each chunk that is read from the file.
    using OnChunk = std::function<void(std::size_t bytes)>;
    /// Opens a file, or standard input for "-". Throws InputError, naming the file, if it cannot be read.
    static TextStream open(const std::string& path, OnChunk on_chunk = {});

    [[nodiscard]] SourcePlace place() const { return {file_, line_}; }
    [[nodiscard]] std::size_t line() const { return line_; }

    /// Whether the text has ended. Reads the next chunk if needed. Throws InputError for a read error, for an
    /// excessively long token, and for NUL bytes. No text format allows NUL bytes, and the JSON lexer would treat them
    /// as the end.
    [[nodiscard]] bool at_end() { return at_ == end_ && !refill(); }
    [[nodiscard]] const char& current() const { return *at_; }
    void advance() {
        if (pending_newline_) ++line_;
        pending_newline_ = *at_ == '\n';
        ++at_;
    }

    /// The unread text in memory, at most 1 MiB, up to its first NUL byte. Reads the next chunk if all text in
    /// memory has been read. With this function, code can select a reader by the content of a text that can be read
    /// only once. Throws InputError for a read error.
    [[nodiscard]] std::string_view prefix();
    /// True if it is known that the text ends with prefix().
    [[nodiscard]] bool prefix_is_all();
    /// Must be called after every complete token. More than 64 MiB of text without such a call is an error. The parser
    /// stores the current token, and an endless number must not fill the memory.
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
    std::unique_ptr<std::FILE, Close> handle_;  ///< null for a text in memory and after the end of a file
    std::vector<char> chunk_;
    OnChunk on_chunk_;
};

/// Makes a TextStream a pair of input iterators for nlohmann's parser. A default-constructed iterator is the end.
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
