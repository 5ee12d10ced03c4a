#include "base/unpacker.h"

#include <dlfcn.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/errors.h"

namespace haichi {

namespace {

// The functions of libarchive and liblzma are looked up when a compressed input is opened. Therefore, neither a build
// nor a library that is preloaded into other programs requires libarchive and liblzma.
template <class Function>
bool find_function(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
}

struct archive;
struct archive_entry;
constexpr int kArchiveEnd = 1;
using ReadCallback = ssize_t(archive*, void* client, const void** buffer);

struct ArchiveLibrary {
    archive* (*read_new)() = nullptr;
    int (*read_free)(archive*) = nullptr;
    int (*append_filter)(archive*, int) = nullptr;
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
        return find_function(library, name, function);
    }
};

/// Returns null if the library is not installed.
const ArchiveLibrary* archive_library() {
    static const ArchiveLibrary kLibrary = [] {
        ArchiveLibrary found;
        found.library = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
        const bool is_whole =
            found.library != nullptr && found.find(found.read_new, "archive_read_new") &&
            found.find(found.read_free, "archive_read_free") &&
            found.find(found.append_filter, "archive_read_append_filter") &&
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

/// As in lzma.h, whose layout is fixed.
struct LzmaStream {
    const std::uint8_t* next_in = nullptr;
    std::size_t avail_in = 0;
    std::uint64_t total_in = 0;
    std::uint8_t* next_out = nullptr;
    std::size_t avail_out = 0;
    std::uint64_t total_out = 0;
    const void* allocator = nullptr;
    void* internal = nullptr;
    std::array<void*, 4> reserved{};
    std::uint64_t seek_position = 0;
    std::uint64_t reserved_number = 0;
    std::array<std::size_t, 2> reserved_sizes{};
    std::array<int, 2> reserved_enums{};
};
/// Some of the results.
enum class LzmaResult : int { kDone = 0, kEnd = 1, kMemory = 5, kMemoryLimit = 6, kNoProgress = 10 };

struct LzmaLibrary {
    LzmaResult (*open)(LzmaStream*, std::uint64_t memory_limit, std::uint32_t flags) = nullptr;
    LzmaResult (*code)(LzmaStream*, int action) = nullptr;
    void (*end)(LzmaStream*) = nullptr;
};

/// Returns null if the library is not installed.
const LzmaLibrary* lzma_library() {
    static const std::optional<LzmaLibrary> kLibrary = []() -> std::optional<LzmaLibrary> {
        LzmaLibrary found;
        void* const library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
        const bool is_whole = library != nullptr && find_function(library, "lzma_stream_decoder", found.open) &&
                              find_function(library, "lzma_code", found.code) &&
                              find_function(library, "lzma_end", found.end);
        return is_whole ? std::optional(found) : std::nullopt;
    }();
    return kLibrary ? &*kLibrary : nullptr;
}

/// The checksum and length at the end of a gzip file, which libarchive ignores.
class GzipTrailer {
  public:
    void add_stored(std::string_view bytes) {
        constexpr std::string_view kMember = "\x1f\x8b\x08";
        const std::size_t kept = last_.size();
        last_ += bytes;
        // A search from the end of the last bytes finds members across two chunks. The first one begins the file.
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
    /// False if the trailer contradicts the data. Files of several members are not checked.
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
    std::uint32_t unpacked_ = 0;  ///< bytes, modulo 2^32 as in the trailer
};

constexpr const char* kEndsTooEarly = "the file ends too early";

/// The other methods of zip archives may require any amount of memory.
void check_method_of_zip(const StoredInput& zip) {
    constexpr std::size_t kPlace = 8;
    constexpr int kStored = 0;
    constexpr int kDeflated = 8;
    if (zip.beginning.size() < kPlace + 2) return;
    const int method =
        static_cast<std::uint8_t>(zip.beginning[kPlace]) + (static_cast<std::uint8_t>(zip.beginning[kPlace + 1]) << 8);
    if (method == kStored || method == kDeflated) return;
    throw InputError(zip.path + ": the file in the zip archive is compressed with method " + std::to_string(method) +
                         ", and haichi reads methods 0 and 8 (deflate)",
                     "unpack it first");
}

}  // namespace

/// Decodes one layer of compression.
class Unpacker::Decoder {
  public:
    explicit Decoder(const Compression& compression) : compression_(compression) {}
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;
    virtual ~Decoder() = default;
    /// Returns the number of bytes, 0 at the end, or -1 for an error that failure() describes.
    virtual ssize_t read(char* to, std::size_t size) = 0;
    [[nodiscard]] const std::string& failure() const { return failure_; }

  protected:
    ssize_t fail(std::string failure) {
        failure_ = std::move(failure);
        return -1;
    }
    ssize_t fail_to_unpack(const std::string& reason) {
        return fail("cannot unpack the file (" + std::string(compression_.name) + "): " + reason);
    }
    [[nodiscard]] const Compression& compression() const { return compression_; }

  private:
    const Compression& compression_;
    std::string failure_;
};

/// The stored bytes in chunks.
class Unpacker::Chunks {
  public:
    explicit Chunks(const StoredInput& stored) : read_(stored.read) {}
    /// Empty at the end of the file.
    std::string_view next() {
        const std::size_t count = read_(bytes_.data(), bytes_.size());
        has_ended_ = count == 0;
        return {bytes_.data(), count};
    }
    /// The decoder has requested more bytes than the file has.
    [[nodiscard]] bool has_ended() const { return has_ended_; }

  private:
    std::function<std::size_t(char*, std::size_t)> read_;
    std::array<char, 1 << 16> bytes_{};
    bool has_ended_ = false;
};

class Unpacker::ArchiveDecoder final : public Decoder {
  public:
    ArchiveDecoder(Chunks& chunks, const Compression& compression, const ArchiveLibrary& library)
        : Decoder(compression), chunks_(chunks), library_(library), archive_(library.read_new()) {}
    ~ArchiveDecoder() override {
        if (archive_ != nullptr) library_.read_free(archive_);
    }

    /// Returns the name in a zip archive, or nothing for an error that failure() describes.
    std::optional<std::string> open() {
        archive_entry* entry = nullptr;
        if (!is_ready() || library_.next_header(archive_, &entry) != 0) {
            fail_to_unpack(failure_of_library());
            return std::nullopt;
        }
        const char* const name = library_.entry_name(entry);
        return name == nullptr ? "" : name;
    }
    ssize_t read(char* to, std::size_t size) override {
        const ssize_t count = library_.read_data(archive_, to, size);
        if (count < 0) return fail_to_unpack(failure_of_library());
        if (is_gzip()) gzip_.add_unpacked({to, static_cast<std::size_t>(count)});
        return count > 0 ? count : end();
    }

  private:
    [[nodiscard]] bool is_gzip() const { return compression().name == "gzip"; }

    /// Without the search for filters of the library, which would also undo a second layer.
    bool is_ready() {
        if (archive_ == nullptr) return false;
        const bool is_zip = compression().name == "zip";
        // The result is a warning if the library runs a program instead.
        constexpr int kWarning = -20;
        const int ready = is_zip ? library_.support_zip(archive_) : library_.append_filter(archive_, filter());
        return ready >= kWarning && (is_zip || library_.support_raw(archive_) >= 0) &&
               library_.open(archive_, this, nullptr, &ArchiveDecoder::give_stored, nullptr) == 0;
    }
    /// ARCHIVE_FILTER_.. of archive.h.
    [[nodiscard]] int filter() const {
        if (is_gzip()) return 1;
        return compression().name == "bzip2" ? 2 : 14;
    }
    static ssize_t give_stored(archive* /*archive*/, void* client, const void** buffer) {
        auto& self = *static_cast<ArchiveDecoder*>(client);
        const std::string_view chunk = self.next_chunk();
        *buffer = chunk.data();
        return std::ssize(chunk);
    }
    std::string_view next_chunk() {
        const std::string_view chunk = chunks_.next();
        if (is_gzip()) gzip_.add_stored(chunk);
        return chunk;
    }
    ssize_t end() {
        archive_entry* entry = nullptr;
        const int next = library_.next_header(archive_, &entry);
        if (next == 0) return fail("the zip archive has several files; unpack it, and use one of them");
        if (next != kArchiveEnd) return fail_to_unpack(failure_of_library());
        while (!next_chunk().empty()) {
        }
        if (!is_gzip() || gzip_.is_whole()) return 0;
        return fail_to_unpack("its checksum or length differs, so the file is damaged");
    }
    [[nodiscard]] std::string failure_of_library() const {
        if (chunks_.has_ended()) return kEndsTooEarly;
        const char* const error = archive_ == nullptr ? nullptr : library_.error(archive_);
        const bool is_clear = error != nullptr && std::string_view(error) != "Unrecognized archive format";
        return is_clear ? error : "the file is damaged";
    }

    Chunks& chunks_;
    const ArchiveLibrary& library_;
    archive* archive_;
    GzipTrailer gzip_;
};

/// libarchive does not limit the memory for xz. For zstd, libzstd limits it to the same number of bytes.
class Unpacker::XzDecoder final : public Decoder {
  public:
    XzDecoder(Chunks& chunks, const Compression& compression, const LzmaLibrary& library)
        : Decoder(compression), chunks_(chunks), library_(library) {
        constexpr std::uint64_t kMostBytes = kMostDictionaryBytes + (std::uint64_t{8} << 20);
        constexpr std::uint32_t kConcatenated = 8;
        state_ = library_.open(&stream_, kMostBytes, kConcatenated);
    }
    ~XzDecoder() override { library_.end(&stream_); }

    ssize_t read(char* to, std::size_t size) override {
        constexpr int kRun = 0;
        constexpr int kFinish = 3;
        stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
        stream_.avail_out = size;
        while (state_ == LzmaResult::kDone && stream_.avail_out > 0) {
            if (stream_.avail_in == 0 && !chunks_.has_ended()) {
                const std::string_view chunk = chunks_.next();
                stream_.next_in = reinterpret_cast<const std::uint8_t*>(chunk.data());
                stream_.avail_in = chunk.size();
            }
            state_ = library_.code(&stream_, chunks_.has_ended() ? kFinish : kRun);
        }
        const std::size_t count = size - stream_.avail_out;
        if (count > 0 || state_ == LzmaResult::kEnd) return static_cast<ssize_t>(count);
        if (state_ == LzmaResult::kMemoryLimit) {
            return fail("it was compressed with a dictionary (xz) of more than " +
                        std::to_string(kMostDictionaryBytes >> 20) + " MiB; unpack it, or compress it with xz -9");
        }
        return fail_to_unpack(state_ == LzmaResult::kNoProgress ? kEndsTooEarly
                              : state_ == LzmaResult::kMemory   ? "there is not enough memory"
                                                                : "the file is damaged");
    }

  private:
    Chunks& chunks_;
    const LzmaLibrary& library_;
    LzmaStream stream_;
    LzmaResult state_;
};

Unpacker::Unpacker(const StoredInput& stored, const Compression& compression)
    : compression_(compression), chunks_(std::make_unique<Chunks>(stored)) {
    const bool is_xz = compression.name == "xz";
    const ArchiveLibrary* const archives = is_xz ? nullptr : archive_library();
    const LzmaLibrary* const lzma = is_xz ? lzma_library() : nullptr;
    if (archives == nullptr && lzma == nullptr) {
        throw InputError(stored.path + ": the file is compressed (" + std::string(compression.name) + "), and " +
                             (is_xz ? "liblzma (liblzma5)" : "libarchive (libarchive13)") + " is not installed",
                         "unpack it: " + std::string(compression.command) + " FILE | haichi ... -");
    }
    if (is_xz) {
        decoder_ = std::make_unique<XzDecoder>(*chunks_, compression, *lzma);
        return;
    }
    if (compression.name == "zip") check_method_of_zip(stored);
    auto decoder = std::make_unique<ArchiveDecoder>(*chunks_, compression, *archives);
    const std::optional<std::string> name = decoder->open();
    if (!name) throw InputError(stored.path + ": " + decoder->failure(), kDamagedHint);
    if (compression.name == "zip" && name->ends_with(".npy")) {
        throw InputError(stored.path + ": expected text, found a zip archive of NumPy arrays",
                         "read .npy and .npz files in Python: haichi.Workload.from_file");
    }
    decoder_ = std::move(decoder);
}

Unpacker::~Unpacker() = default;

ssize_t Unpacker::read(char* to, std::size_t size) {
    if (!message_.empty()) return -1;
    if (is_at_end_) return 0;
    const ssize_t count = decoder_->read(to, size);
    if (count < 0) return fail(decoder_->failure());
    is_at_end_ = count == 0;
    bytes_ += static_cast<std::uint64_t>(count);
    if (bytes_ > kMostUnpackedBytes) {
        return fail("it unpacks to more than " + std::to_string(kMostUnpackedBytes >> 30) +
                    " GiB; unpack it to a file first");
    }
    if (beginning_.size() < kRecognisedBytes) {
        beginning_.append(to, std::min(static_cast<std::size_t>(count), kRecognisedBytes - beginning_.size()));
        if (const Compression* const inner = compression_of(beginning_)) {
            return fail("it is compressed twice (" + std::string(inner->name) + " within " +
                        std::string(compression_.name) + "); unpack it once, and use the result");
        }
    }
    return count;
}

ssize_t Unpacker::fail(std::string message) {
    message_ = std::move(message);
    return -1;
}

}  // namespace haichi
