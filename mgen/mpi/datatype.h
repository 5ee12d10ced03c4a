#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "collectives/item_type.h"
#include "mgen/mpi/basic_type.h"
#include "mgen/mpi/error.h"
#include "mgen/mpi/type_contents.h"
#include "mgen/mpi/type_layout.h"
#include "mgen/mpi/type_signature.h"

namespace haichi::mpi {

using collectives::TypeBounds;

/// An MPI data type, immutable and shared. Its memory is proportional to its description. The rank that made the type
/// holds its name, its attributes and whether it is committed.
class Datatype : public collectives::ItemType, public std::enable_shared_from_this<Datatype> {
  public:
    /// Returns the named type; every call returns the same object.
    static const DatatypeRef& basic(BasicType type);

    /// `only` is the basic type of all elements, if they share one.
    Datatype(TypeBounds bounds, LayoutRef layout, SignatureRef signature, std::optional<BasicType> only,
             TypeContents contents);

    /// The basic type if this is a named type; nothing if a constructor made it.
    [[nodiscard]] std::optional<BasicType> named() const;
    /// The basic type of all elements, if they share one. A pair counts as one basic type.
    [[nodiscard]] std::optional<BasicType> only_basic_type() const { return only_; }
    [[nodiscard]] const Signature& signature() const { return *signature_; }
    [[nodiscard]] const SignatureRef& signature_ref() const { return signature_; }
    [[nodiscard]] const LayoutRef& layout_ref() const { return layout_; }
    [[nodiscard]] const TypeContents& contents() const { return contents_; }

    /// Number of basic elements in one item; a pair has two.
    [[nodiscard]] std::int64_t elements() const;
    /// Number of whole items in `bytes` received bytes; nullopt (MPI_UNDEFINED) if the last item is incomplete.
    [[nodiscard]] std::optional<std::int64_t> whole_count(std::int64_t bytes) const;
    /// Number of basic elements in `bytes` received bytes; nullopt if the last element is incomplete.
    [[nodiscard]] std::optional<std::int64_t> element_count(std::int64_t bytes) const;

    /// Copies `count` items from `data` to packed_bytes(count) bytes at `to`.
    void pack(const void* data, std::int64_t count, std::byte* to) const;
    /// Like pack(), but copies only the packed bytes [position, position + bytes).
    void pack_part(const void* data, std::int64_t count, std::int64_t position, std::int64_t bytes,
                   std::byte* to) const;
    /// Copies at most packed_bytes(count) of `bytes` packed bytes, in order, to `data`. Returns the number of bytes
    /// copied.
    std::int64_t unpack(void* data, std::int64_t count, const std::byte* from, std::int64_t bytes) const;
    /// Like unpack(), but `from` points to the packed bytes [position, position + bytes).
    void unpack_part(void* data, std::int64_t count, std::int64_t position, std::int64_t bytes,
                     const std::byte* from) const;

  private:
    LayoutRef layout_;
    SignatureRef signature_;
    std::optional<BasicType> only_;
    TypeContents contents_;
};

/// Copies items like a message from a rank to itself. Copies the smaller of the two sizes. The buffers must not
/// overlap.
void copy_typed(const void* from, std::int64_t count, const Datatype& from_type, void* to, std::int64_t to_count,
                const Datatype& to_type);

}  // namespace haichi::mpi
