#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace haichi::profiler {

/// An argument of an MPI function as a machine word. No argument is a structure or a floating-point number, so each
/// fits in one register or one stack slot. A type smaller than a word is in the word's lower part.
using Word = std::uintptr_t;

template <class T>
auto from_word(Word word) {
    using Argument = std::decay_t<T>;
    if constexpr (std::is_pointer_v<Argument>) {
        return reinterpret_cast<Argument>(word);
    } else {
        return static_cast<Argument>(word);
    }
}

template <std::size_t>
using WordAt = Word;

template <class Result, class... Arguments, std::size_t... At>
auto as_words_of(Result (*function)(Arguments...), std::index_sequence<At...>) {
    return reinterpret_cast<Result (*)(WordAt<At>...)>(reinterpret_cast<void (*)()>(function));
}
template <class Result, class... Arguments, std::size_t... At>
auto as_words_of(Result (*function)(Arguments..., ...), std::index_sequence<At...>) {
    return reinterpret_cast<Result (*)(WordAt<At>...)>(reinterpret_cast<void (*)()>(function));
}

/// Casts a function pointer to one whose function takes its arguments as words.
template <std::size_t count, class Function>
auto as_words(Function* function) {
    return as_words_of(function, std::make_index_sequence<count>{});
}

}  // namespace haichi::profiler
