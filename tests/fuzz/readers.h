#pragma once

#include <span>
#include <string_view>

namespace haichi {

/// A reader that is given hostile bytes. Refusing them with an error for the user is right; anything else (a crash, an
/// internal error, another exception) ends the program. The folder corpus/NAME holds a few small inputs.
struct FuzzedReader {
    std::string_view name;
    void (*read)(std::string_view bytes);
};

[[nodiscard]] std::span<const FuzzedReader> fuzzed_readers();
/// The reader that is named; throws InternalError if there is none.
[[nodiscard]] const FuzzedReader& fuzzed_reader(std::string_view name);
/// Gives it the bytes, and takes an error for the user.
void read_hostile_bytes(const FuzzedReader& reader, std::string_view bytes);

// Readers with a file of their own.
void fuzz_own_part(std::string_view bytes);
void fuzz_simulated_job(std::string_view bytes);
void fuzz_otf2_archive(std::string_view bytes);

}  // namespace haichi
