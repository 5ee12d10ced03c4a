#pragma once

/// \file
/// Macros of the other headers.

#define HAICHI_EXPORT [[gnu::visibility("default")]]

// The classes are in an inline namespace, haichi::v0, so that incompatible versions of the library cannot be mixed. The
// modules of the library have other classes of the same names in haichi, and the library defines this macro as empty.
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
struct Access;  // lets the library see the data of the classes
}  // namespace detail

HAICHI_END
