#include "base/input_file.h"

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/errors.h"
#include "base/located_json.h"
#include "base/unpacker.h"

namespace haichi {

namespace {

constexpr std::array<Compression, 5> kCompressions = {{
    {"\x1f\x8b", "gzip", ".gz", "gzip -dc"},
    {"BZh", "bzip2", ".bz2", "bzip2 -dc"},
    {std::string_view("\xfd"
                      "7zXZ\0",
                      6),
     "xz", ".xz", "xz -dc"},
    {"\x28\xb5\x2f\xfd", "zstd", ".zst", "zstd -dc"},
    {"PK\x03\x04", "zip", ".zip", "unzip -p"},
}};

struct CloseFile {
    void operator()(std::FILE* file) const {
        if (file != stdin) std::fclose(file);
    }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Standard input, which can be read only once. The bytes that were read to recognise its format are kept until it is
/// opened. keep_standard_input() keeps all of it.
struct StandardInput {
    std::mutex mutex;
    std::string beginning;  ///< bytes that were read before standard input is opened
    std::unique_ptr<std::FILE, CloseFile> copy;
};
StandardInput& standard_input() {
    static StandardInput input;
    return input;
}

[[noreturn]] void fail_to_read(const std::string& path) {
    throw InputError("cannot read " + path + ": " + std::strerror(errno));
}

std::string read_some(std::FILE* file, std::size_t most, const std::string& path) {
    std::string text(most, '\0');
    text.resize(std::fread(text.data(), 1, most, file));
    if (std::ferror(file) != 0) fail_to_read(path);
    return text;
}

/// The bytes of a file as they are stored: first those that were read to recognise the format, then the rest.
struct Stored {
    std::string beginning;
    File file;  ///< null if `beginning` is the whole file
    std::string path;

    std::size_t read(char* to, std::size_t size) {
        std::size_t count = std::min(size, beginning.size() - at);
        std::memcpy(to, beginning.data() + at, count);
        at += count;
        if (count < size && file) count += std::fread(to + count, 1, size - count, file.get());
        return count;
    }
    std::size_t at = 0;
};

Stored open_stored(const std::string& path) {
    Stored stored{{}, {}, path};
    if (path != "-") {
        stored.file.reset(std::fopen(path.c_str(), "rb"));
    } else {
        StandardInput& input = standard_input();
        const std::scoped_lock lock(input.mutex);
        if (input.copy) {
            // The copy has no file name. Opening its descriptor again gives an independent position.
            stored.file.reset(std::fopen(("/proc/self/fd/" + std::to_string(fileno(input.copy.get()))).c_str(), "rb"));
        } else {
            stored.beginning = std::exchange(input.beginning, {});
            stored.file.reset(stdin);
        }
    }
    if (!stored.file) fail_to_read(path);
    if (stored.beginning.size() < kRecognisedBytes) {
        stored.beginning += read_some(stored.file.get(), kRecognisedBytes - stored.beginning.size(), path);
    }
    return stored;
}

thread_local std::string failed_input;

ssize_t read_unpacked(void* cookie, char* to, std::size_t size) {
    auto* const unpacker = static_cast<Unpacker*>(cookie);
    const ssize_t count = unpacker->read(to, size);
    if (count < 0) failed_input = unpacker->message();
    return count;
}
int close_unpacked(void* cookie) {
    delete static_cast<Unpacker*>(cookie);
    return 0;
}
ssize_t read_stored(void* cookie, char* to, std::size_t size) {
    return static_cast<ssize_t>(static_cast<Stored*>(cookie)->read(to, size));
}
int close_stored(void* cookie) {
    delete static_cast<Stored*>(cookie);
    return 0;
}

template <class Input>
std::FILE* as_file(std::unique_ptr<Input> input, ssize_t (*read)(void*, char*, std::size_t), int (*close)(void*)) {
    std::FILE* const file = fopencookie(input.get(), "rb", {read, nullptr, nullptr, close});
    if (file == nullptr) throw InputError("cannot open a stream: " + std::string(std::strerror(errno)));
    (void)input.release();
    return file;
}

std::FILE* opened(Stored stored) {
    failed_input.clear();
    if (const Compression* const compression = compression_of(stored.beginning)) {
        const auto whole = std::make_shared<Stored>(std::move(stored));
        const auto read = [whole](char* to, std::size_t size) { return whole->read(to, size); };
        return as_file(std::make_unique<Unpacker>(StoredInput{whole->path, whole->beginning, read}, *compression),
                       read_unpacked, close_unpacked);
    }
    const bool is_named = stored.file && stored.file.get() != stdin;
    if (is_named && std::fseek(stored.file.get(), 0, SEEK_SET) == 0) return stored.file.release();
    return as_file(std::make_unique<Stored>(std::move(stored)), read_stored, close_stored);
}

}  // namespace

const Compression* compression_of(std::string_view prefix) {
    const auto found = std::ranges::find_if(
        kCompressions, [prefix](const Compression& compression) { return prefix.starts_with(compression.magic); });
    return found == kCompressions.end() ? nullptr : &*found;
}

std::string_view without_compression_ending(std::string_view name) {
    for (const Compression& compression : kCompressions) {
        if (name.ends_with(compression.ending)) return name.substr(0, name.size() - compression.ending.size());
    }
    return name;
}

bool is_compressed(const std::string& path) {
    const File file(std::fopen(path.c_str(), "rb"));
    std::array<char, kRecognisedBytes> beginning{};
    return file && compression_of({beginning.data(), std::fread(beginning.data(), 1, beginning.size(), file.get())});
}

std::FILE* open_input(const std::string& path) { return opened(open_stored(path)); }

void throw_failed_input(const std::string& path) {
    if (failed_input.empty()) fail_to_read(path);
    const std::string reason = std::exchange(failed_input, {});
    const bool is_damaged = reason.starts_with("cannot unpack the file");
    throw InputError("cannot read " + path + ": " + reason, is_damaged ? kDamagedHint : "");
}

std::string beginning_of_input(const std::string& path, std::size_t most) {
    // A block of bzip2 is unpacked as a whole, and has at most 900 kB.
    constexpr std::size_t kPeek = std::size_t{1} << 20;
    const bool is_pipe = path == "-" && !standard_input().copy;
    Stored stored = open_stored(path);
    if (is_pipe) {
        StandardInput& input = standard_input();
        const std::scoped_lock lock(input.mutex);
        if (stored.beginning.size() < kPeek) {
            stored.beginning += read_some(stdin, kPeek - stored.beginning.size(), path);
        }
        input.beginning = stored.beginning;
        stored.file.reset();
        if (compression_of(stored.beginning) == nullptr) return stored.beginning.substr(0, most);
    }
    const File file(opened(std::move(stored)));
    std::string text(most, '\0');
    text.resize(std::fread(text.data(), 1, most, file.get()));
    // The bytes that were read from a pipe may end in the middle of compressed data. This is not an error.
    if (std::ferror(file.get()) != 0 && !is_pipe) throw_failed_input(path);
    return text;
}

std::string whole_input(const std::string& path, std::size_t most) {
    const File file(open_input(path));
    std::string text;
    constexpr std::size_t kStep = std::size_t{1} << 20;
    for (;;) {
        const std::size_t size = text.size();
        if (size > most) {
            throw InputError(path + ": more than " + std::to_string(most >> 20) + " MiB",
                             "unpack it to a file, and use this file");
        }
        text.resize(size + kStep);
        text.resize(size + std::fread(text.data() + size, 1, kStep, file.get()));
        if (std::ferror(file.get()) != 0) throw_failed_input(path);
        if (text.size() < size + kStep) return text;
    }
}

std::string input_text(const std::string& path, std::size_t most) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    std::string text = is_compressed(path) ? whole_input(path, most) : read_file(path, most);
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    return text;
}

void keep_standard_input() {
    StandardInput& input = standard_input();
    const std::scoped_lock lock(input.mutex);
    if (input.copy) return;
    std::unique_ptr<std::FILE, CloseFile> copy(std::tmpfile());
    const auto fail = [] {
        throw InputError("cannot keep standard input in a temporary file: " + std::string(std::strerror(errno)),
                         "save it to a file first");
    };
    if (!copy) fail();
    std::string chunk = std::exchange(input.beginning, {});
    for (;;) {
        if (std::fwrite(chunk.data(), 1, chunk.size(), copy.get()) != chunk.size()) fail();
        chunk = read_some(stdin, std::size_t{1} << 20, "-");
        if (chunk.empty()) break;
    }
    if (std::fflush(copy.get()) != 0) fail();
    input.copy = std::move(copy);
}

}  // namespace haichi
