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

/// A data type of MPI: immutable and shared; its memory is that of its description. Whether it is committed, its name
/// and its attributes belong to the rank that made it, not to it.
class Datatype : public collectives::ItemType, public std::enable_shared_from_this<Datatype> {
  public:
    /// The named type; the same object each time.
    static const DatatypeRef& basic(BasicType type);

    /// `only`: the basic type that it is made of, if it is one.
    Datatype(TypeBounds bounds, LayoutRef layout, SignatureRef signature, std::optional<BasicType> only,
             TypeContents contents);

    /// Named: not made by a constructor.
    [[nodiscard]] std::optional<BasicType> named() const;
    /// The only basic type that it is made of, if there is one: a pair is one.
    [[nodiscard]] std::optional<BasicType> only_basic_type() const { return only_; }
    [[nodiscard]] const Signature& signature() const { return *signature_; }
    [[nodiscard]] const SignatureRef& signature_ref() const { return signature_; }
    [[nodiscard]] const LayoutRef& layout_ref() const { return layout_; }
    [[nodiscard]] const TypeContents& contents() const { return contents_; }

    /// Basic elements in one of it; a pair has two.
    [[nodiscard]] std::int64_t elements() const;
    /// How many whole ones are in `bytes` received bytes; nullopt (MPI_UNDEFINED) if there is a part of one.
    [[nodiscard]] std::optional<std::int64_t> whole_count(std::int64_t bytes) const;
    /// How many basic elements are in `bytes` received bytes; nullopt if there is a part of one.
    [[nodiscard]] std::optional<std::int64_t> element_count(std::int64_t bytes) const;

    /// Copies `count` of them from `data` to packed_bytes(count) bytes at `to`.
    void pack(const void* data, std::int64_t count, std::byte* to) const;
    /// The same of packed bytes [position, position + bytes) alone.
    void pack_part(const void* data, std::int64_t count, std::int64_t position, std::int64_t bytes,
                   std::byte* to) const;
    /// Takes at most packed_bytes(count) of `bytes` packed bytes, in order, into `data`. Returns how many.
    std::int64_t unpack(void* data, std::int64_t count, const std::byte* from, std::int64_t bytes) const;
    /// `from` are packed bytes [position, position + bytes).
    void unpack_part(void* data, std::int64_t count, std::int64_t position, std::int64_t bytes,
                     const std::byte* from) const;

  private:
    LayoutRef layout_;
    SignatureRef signature_;
    std::optional<BasicType> only_;
    TypeContents contents_;
};

/// `count` of `from_type` at `from` to `to_count` of `to_type` at `to`, as a message of a rank to itself; the smaller
/// of both sizes. The buffers do not overlap.
void copy_typed(const void* from, std::int64_t count, const Datatype& from_type, void* to, std::int64_t to_count,
                const Datatype& to_type);

}  // namespace haichi::mpi
