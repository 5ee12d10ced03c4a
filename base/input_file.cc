#include "base/input_file.h"

#include <dlfcn.h>
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
constexpr std::size_t kLongestMagic = 6;

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
    if (stored.beginning.size() < kLongestMagic) {
        stored.beginning += read_some(stored.file.get(), kLongestMagic - stored.beginning.size(), path);
    }
    return stored;
}

// The functions of libarchive are looked up when a compressed input is opened. Neither a build nor a library that is
// preloaded into other programs thus depends on libarchive.
struct archive;
struct archive_entry;
constexpr int kArchiveEnd = 1;
using ReadCallback = ssize_t(archive*, void* client, const void** buffer);

struct ArchiveLibrary {
    archive* (*read_new)() = nullptr;
    int (*read_free)(archive*) = nullptr;
    int (*support_raw)(archive*) = nullptr;
    int (*support_zip)(archive*) = nullptr;
    int (*open)(archive*, void* client, void* opened, ReadCallback* read, void* closed) = nullptr;
    int (*next_header)(archive*, archive_entry**) = nullptr;
    ssize_t (*read_data)(archive*, void*, std::size_t) = nullptr;
    const char* (*error)(archive*) = nullptr;
    const char* (*entry_name)(archive_entry*) = nullptr;
    void* library = nullptr;

    template <class Function>
    bool find(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(dlsym(library, name));
        return function != nullptr;
    }
};

/// The library, or null if it is not installed.
const ArchiveLibrary* archive_library() {
    static const ArchiveLibrary kLibrary = [] {
        ArchiveLibrary found;
        found.library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
        const bool is_whole =
            found.library != nullptr && found.find(found.read_new, "archive_read_new") &&
            found.find(found.read_free, "archive_read_free") &&
            found.find(found.support_raw, "archive_read_support_format_raw") &&
            found.find(found.support_zip, "archive_read_support_format_zip_streamable") &&
            found.find(found.open, "archive_read_open") && found.find(found.next_header, "archive_read_next_header") &&
            found.find(found.read_data, "archive_read_data") && found.find(found.error, "archive_error_string") &&
            found.find(found.entry_name, "archive_entry_pathname");
        if (!is_whole) found.library = nullptr;
        return found;
    }();
    return kLibrary.library == nullptr ? nullptr : &kLibrary;
}

constexpr const char* kDamagedHint = "copy the file again, or compress the original again";

/// Checks the checksum and the length at the end of a gzip file, which libarchive ignores.
class GzipTrailer {
  public:
    void add_stored(std::string_view bytes) {
        constexpr std::string_view kMember = "\x1f\x8b\x08";
        const std::size_t kept = last_.size();
        last_ += bytes;
        // The search begins at the end of the previous bytes, to find members that span two chunks. The first member
        // begins the file.
        const std::size_t from = stored_ == 0 ? 1 : kept - std::min(kept, kMember.size() - 1);
        has_members_ = has_members_ || last_.find(kMember, from) != std::string::npos;
        stored_ += bytes.size();
        if (last_.size() > kSize) last_.erase(0, last_.size() - kSize);
    }
    void add_unpacked(std::string_view bytes) {
        static constexpr std::array<std::uint32_t, 256> kTable = [] {
            constexpr std::uint32_t kPolynomial = 0xedb88320;
            std::array<std::uint32_t, 256> table{};
            for (std::uint32_t i = 0; i < table.size(); ++i) {
                table[i] = i;
                for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? kPolynomial : 0);
            }
            return table;
        }();
        for (const char c : bytes)
            checksum_ = kTable[(checksum_ ^ static_cast<std::uint8_t>(c)) & 0xff] ^ checksum_ >> 8;
        unpacked_ += static_cast<std::uint32_t>(bytes.size());
    }
    /// Returns false if the trailer contradicts the data. Files of several members are not checked.
    [[nodiscard]] bool is_whole() const {
        if (has_members_) return true;
        return last_.size() == kSize && number_at(0) == ~checksum_ && number_at(4) == unpacked_;
    }

  private:
    static constexpr std::size_t kSize = 8;

    [[nodiscard]] std::uint32_t number_at(std::size_t at) const {
        std::uint32_t number = 0;
        for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<std::uint8_t>(last_[at + i]);
        return number;
    }

    std::string last_;  ///< the last bytes of the file
    std::uint64_t stored_ = 0;
    bool has_members_ = false;  ///< whether the file may have several gzip members
    std::uint32_t checksum_ = ~std::uint32_t{0};
    std::uint32_t unpacked_ = 0;  ///< number of unpacked bytes modulo 2^32, as in the trailer
};

class Unpacker {
  public:
    /// Throws InputError if the input cannot be unpacked.
    Unpacker(Stored stored, const Compression& compression)
        : stored_(std::move(stored)), compression_(compression), library_(archive_library()) {
        const std::string hint = "unpack it: " + std::string(compression.command) + " FILE | haichi ... -";
        if (library_ == nullptr) {
            throw InputError(stored_.path + ": the file is compressed (" + std::string(compression.name) +
                                 "), and libarchive (libarchive13) is not installed",
                             hint);
        }
        archive_ = library_->read_new();
        const std::string filter = "archive_read_support_filter_" + std::string(compression.name);
        int (*support_filter)(archive*) = nullptr;
        const bool is_zip = compression.name == "zip";
        bool is_ready = archive_ != nullptr;
        if (is_ready && is_zip) is_ready = library_->support_zip(archive_) >= 0;
        // libarchive returns a warning if it would run an external program instead.
        if (is_ready && !is_zip) {
            is_ready = library_->find(support_filter, filter.c_str()) && support_filter(archive_) > -30 &&
                       library_->support_raw(archive_) >= 0;
        }
        is_ready = is_ready && library_->open(archive_, this, nullptr, &Unpacker::give_stored, nullptr) == 0;
        archive_entry* entry = nullptr;
        if (!is_ready || library_->next_header(archive_, &entry) != 0) {
            const std::string why = failure();
            close();
            throw InputError(stored_.path + ": " + why, kDamagedHint);
        }
        const char* const name = library_->entry_name(entry);
        if (is_zip && name != nullptr && std::string_view(name).ends_with(".npy")) {
            close();
            throw InputError(stored_.path + ": expected text, found a zip archive of NumPy arrays",
                             "read .npy and .npz files with the Python package");
        }
    }
    ~Unpacker() { close(); }
    Unpacker(const Unpacker&) = delete;
    Unpacker& operator=(const Unpacker&) = delete;

    /// Returns the number of bytes read, 0 at the end, or -1 for an error that message() describes.
    ssize_t read(char* to, std::size_t size) {
        if (is_at_end_) return 0;
        const ssize_t count = library_->read_data(archive_, to, size);
        if (count < 0) {
            message_ = failure();
            return -1;
        }
        if (count == 0) return end();
        bytes_ += static_cast<std::uint64_t>(count);
        if (compression_.name == "gzip") gzip_.add_unpacked({to, static_cast<std::size_t>(count)});
        if (bytes_ > kMostUnpackedBytes) {
            message_ = "it unpacks to more than " + std::to_string(kMostUnpackedBytes >> 30) +
                       " GiB; unpack it to a file first";
            return -1;
        }
        return count;
    }
    [[nodiscard]] const std::string& message() const { return message_; }

  private:
    static ssize_t give_stored(archive* /*archive*/, void* client, const void** buffer) {
        auto& self = *static_cast<Unpacker*>(client);
        *buffer = self.chunk_.data();
        return self.next_chunk();
    }
    ssize_t next_chunk() {
        const std::size_t count = stored_.read(chunk_.data(), chunk_.size());
        if (compression_.name == "gzip") gzip_.add_stored({chunk_.data(), count});
        return static_cast<ssize_t>(count);
    }
    ssize_t end() {
        is_at_end_ = true;
        archive_entry* entry = nullptr;
        const int next = library_->next_header(archive_, &entry);
        if (next == kArchiveEnd) {
            while (next_chunk() > 0) {
            }
            if (compression_.name != "gzip" || gzip_.is_whole()) return 0;
            message_ = "cannot unpack it (gzip): its checksum or length differs, so the file is damaged";
            return -1;
        }
        message_ = next == 0 ? "the zip archive has several files; unpack it, and name one of them" : failure();
        return -1;
    }
    [[nodiscard]] std::string failure() const {
        const char* const error = archive_ == nullptr ? nullptr : library_->error(archive_);
        return "cannot unpack it (" + std::string(compression_.name) + "): " + (error == nullptr ? "unknown" : error);
    }
    void close() {
        if (archive_ != nullptr) library_->read_free(archive_);
        archive_ = nullptr;
    }

    Stored stored_;
    const Compression& compression_;
    const ArchiveLibrary* library_;
    archive* archive_ = nullptr;
    std::array<char, 1 << 16> chunk_{};
    std::uint64_t bytes_ = 0;
    GzipTrailer gzip_;
    bool is_at_end_ = false;
    std::string message_;
};

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
        return as_file(std::make_unique<Unpacker>(std::move(stored), *compression), read_unpacked, close_unpacked);
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
    std::array<char, kLongestMagic> beginning{};
    return file && compression_of({beginning.data(), std::fread(beginning.data(), 1, beginning.size(), file.get())});
}

std::FILE* open_input(const std::string& path) { return opened(open_stored(path)); }

void throw_failed_input(const std::string& path) {
    if (failed_input.empty()) fail_to_read(path);
    const std::string reason = std::exchange(failed_input, {});
    const bool is_damaged = reason.starts_with("cannot unpack it");
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
                             "unpack it to a file, and name the file");
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
