#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace haichi {

/// The maximum number of bytes to which a compressed input may unpack. Without a limit, a small file could claim any
/// size.
inline constexpr std::uint64_t kMostUnpackedBytes = std::uint64_t{1} << 36;
/// Most bytes of the earlier data that a decoder keeps. A small file may claim 4 GiB.
inline constexpr std::uint64_t kMostDictionaryBytes = std::uint64_t{1} << 27;

/// A compression method, recognised by the first bytes of a file.
struct Compression {
    std::string_view magic;
    std::string_view name;
    std::string_view ending;   ///< ending of file names, such as ".gz"
    std::string_view command;  ///< command that unpacks FILE to standard output
};
/// Returns null if `prefix` is not the beginning of a compressed file.
const Compression* compression_of(std::string_view prefix);
/// Returns the file name without the ending of a compression, such as ".gz".
std::string_view without_compression_ending(std::string_view name);

/// Opens a file, or standard input for "-". A compressed input (gzip, bzip2, xz, zstd, or a zip archive of one file) is
/// unpacked while it is read. The caller closes the file, unless it is stdin. Throws InputError.
[[nodiscard]] std::FILE* open_input(const std::string& path);
/// Throws InputError with the reason why reading a file of open_input() failed. Call this in the thread that read the
/// file.
[[noreturn]] void throw_failed_input(const std::string& path);

/// Returns whether the stored file begins like a compressed file. Returns false for a file that cannot be read.
[[nodiscard]] bool is_compressed(const std::string& path);
/// Returns the first bytes of the unpacked input, at most `most`. Standard input can still be opened afterwards.
[[nodiscard]] std::string beginning_of_input(const std::string& path, std::size_t most);
/// Returns the whole unpacked input. Throws InputError if it has more than `most` bytes.
[[nodiscard]] std::string whole_input(const std::string& path, std::size_t most);
/// Returns a text of at most `most` bytes, unpacked if it is compressed, without a byte-order mark. Throws InputError.
[[nodiscard]] std::string input_text(const std::string& path, std::size_t most);
/// Copies standard input to a temporary file without a name, so that it can be opened several times.
void keep_standard_input();

}  // namespace haichi
