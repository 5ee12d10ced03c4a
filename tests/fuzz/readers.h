#pragma once

#include <span>
#include <string_view>

namespace haichi {

/// A reader that is fed hostile bytes. Rejecting them with an error for the user is correct. Anything else (a crash, an
/// internal error, another exception) ends the program. The directory corpus/NAME holds a few small inputs.
struct FuzzedReader {
    std::string_view name;
    void (*read)(std::string_view bytes);
};

[[nodiscard]] std::span<const FuzzedReader> fuzzed_readers();
/// The reader with this name; throws InternalError if there is none.
[[nodiscard]] const FuzzedReader& fuzzed_reader(std::string_view name);
/// Throws InternalError for a format of rank maps, workloads or logs without a reader.
void require_reader_of_each_format();
/// Feeds the bytes to the reader and catches errors for the user.
void read_hostile_bytes(const FuzzedReader& reader, std::string_view bytes);

// Readers in files of their own.
void fuzz_own_part(std::string_view bytes);
void fuzz_simulated_job(std::string_view bytes);
void fuzz_otf2_archive(std::string_view bytes);

}  // namespace haichi
