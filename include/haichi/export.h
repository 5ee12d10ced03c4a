#pragma once

/// \file
/// The macros that the other headers use.

#define HAICHI_EXPORT [[gnu::visibility("default")]]

// The classes are in an inline namespace, haichi::v0, so that incompatible versions of the library cannot be mixed.
// Inside the library this macro is empty: its modules define other classes with the same names directly in haichi.
#ifndef HAICHI_INLINE
#define HAICHI_INLINE inline
#endif
#define HAICHI_BEGIN   \
    namespace haichi { \
    HAICHI_INLINE namespace v0 {
#define HAICHI_END \
    }              \
    }

HAICHI_BEGIN

namespace detail {
struct Access;  // lets the library access the data of the classes
}  // namespace detail

HAICHI_END
