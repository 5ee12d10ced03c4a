#include "base/text_stream.h"

#include <algorithm>
#include <utility>

#include "base/input_file.h"

namespace haichi {

TextStream::TextStream(std::string_view text, std::string file) : file_(std::move(file)) { set_chunk(text); }

TextStream TextStream::open(const std::string& path, OnChunk on_chunk) {
    TextStream stream(path);
    stream.handle_.reset(open_input(path));
    stream.chunk_.resize(kChunkBytes);
    stream.on_chunk_ = std::move(on_chunk);
    return stream;
}

void TextStream::set_chunk(std::string_view text) {
    const std::size_t length = std::min(text.find('\0'), text.size());
    at_ = text.data();
    end_ = text.data() + length;
    nul_follows_ = length < text.size();
}

std::string_view TextStream::prefix() {
    if (at_ == end_ && !nul_follows_) (void)refill();
    return std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, kChunkBytes);
}

bool TextStream::prefix_is_all() {
    const std::size_t length = prefix().size();
    if (nul_follows_ || length < static_cast<std::size_t>(end_ - at_)) return false;
    return !handle_ || std::feof(handle_.get()) != 0;
}

bool TextStream::refill() {
    if (nul_follows_) {
        if (pending_newline_) ++line_;
        throw InputError(place(), "expected text, found a NUL byte (\\x00)");
    }
    if (!handle_) return false;
    if (++chunks_without_progress_ > kMostChunksWithoutProgress) {
        throw InputError(place(), "a single value, comment or run of blanks is longer than " +
                                      std::to_string(kMostChunksWithoutProgress) + " MiB");
    }
    const std::size_t count = std::fread(chunk_.data(), 1, chunk_.size(), handle_.get());
    if (count == 0) {
        if (std::ferror(handle_.get()) != 0) throw_failed_input(file_);
        handle_.reset();
        return false;
    }
    if (on_chunk_) on_chunk_(count);
    set_chunk({chunk_.data(), count});
    return at_ != end_ || refill();  // the chunk may begin with a NUL byte, which refill() reports
}

}  // namespace haichi
