#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mgen/host/loaded_module.h"

namespace haichi::host {

/// What the loader made of the segments of a module before its initialisers changed them: its file, relocated.
class InitialImage {
  public:
    enum class Segments : std::uint8_t {
        kWritable,  ///< without the slots of functions that are looked up when they are first called
        kAll        ///< these functions are looked up
    };
    struct Segment {
        std::uintptr_t begin;
        std::size_t memory_bytes;
        bool is_writable;
        std::vector<std::byte> bytes;  ///< behind them there are zeros
    };
    /// A word that holds an address.
    struct Word {
        std::uintptr_t place;
        std::uintptr_t value;
        std::uintptr_t symbol;  ///< what the value counts from: where it lies tells whose address this is
    };

    /// Throws InputError where the file cannot be read any more.
    InitialImage(const LoadedModule& loaded, Segments which);

    [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
    [[nodiscard]] const std::vector<Word>& words() const { return words_; }
    [[nodiscard]] std::vector<std::byte> of(std::uintptr_t begin, std::uintptr_t end) const;
    /// Whether this is a relocation that is known here; words of others are as the loader left them.
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

/// The address that the loader gives to the symbol of a relocation of a function: the one in the slot, or, where that
/// has not been called yet, what a search finds; else 0.
std::uintptr_t found_function(const LoadedModule& loaded, const ElfW(Rela) & relocation);

}  // namespace haichi::host
