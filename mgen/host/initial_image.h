#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mgen/host/loaded_module.h"

namespace haichi::host {

/// The segments of a module before initialisers ran, as the loader left them: the contents of the file, relocated.
class InitialImage {
  public:
    enum class Segments : std::uint8_t {
        kWritable,  ///< without the slots of functions that are bound at their first call
        kAll        ///< with the functions in these slots bound
    };
    struct Segment {
        std::uintptr_t begin;
        std::size_t memory_bytes;
        bool is_writable;
        std::vector<std::byte> bytes;  ///< the initial bytes, followed by zeros up to memory_bytes
    };
    /// A word that holds an address.
    struct Word {
        std::uintptr_t place;
        std::uintptr_t value;
        std::uintptr_t symbol;  ///< base of the value; its module is the one that the address belongs to
    };

    /// Throws InputError if the file can no longer be read.
    InitialImage(const LoadedModule& loaded, Segments which);

    [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
    [[nodiscard]] const std::vector<Word>& words() const { return words_; }
    [[nodiscard]] std::vector<std::byte> of(std::uintptr_t begin, std::uintptr_t end) const;
    /// True if this type of relocation is handled. Words with other types stay as the loader left them.
    [[nodiscard]] static bool knows(std::uint32_t relocation_type);

  private:
    std::byte* at(std::uintptr_t place, std::size_t bytes);
    void relocate_packed();
    void relocate(const ElfW(Rela) & relocation);
    void set(const Word& word);
    void keep_loaded(std::uintptr_t place, std::size_t words);

    const LoadedModule* loaded_;
    std::vector<Segment> segments_;
    std::vector<Word> words_;
};

/// The address to which the loader binds the function symbol of a relocation. The address comes from the slot, or from
/// a search if the function has not been called yet. Returns 0 if no definition is found.
std::uintptr_t found_function(const LoadedModule& loaded, const ElfW(Rela) & relocation);

}  // namespace haichi::host
