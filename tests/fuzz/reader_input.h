#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/errors.h"

namespace haichi {

/// Gives `read` what a fuzzer made up. Refusing it with an error for the user is right; anything else (a crash, an
/// internal error, another exception) ends the program.
template <class Read>
int read_hostile_input(const std::uint8_t* data, std::size_t size, Read&& read) {
    try {
        read(std::string_view(reinterpret_cast<const char*>(data), size));
    } catch (const InputError&) {
    } catch (const OptionError&) {
    } catch (const UnsupportedError&) {
    }
    return 0;
}

}  // namespace haichi
