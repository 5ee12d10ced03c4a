#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

/// Adds a handle for a type that the running rank has made.
MPI_Datatype add_type(mpi::DatatypeRef type);

/// Whether one of the MPI_Type_create_f90_* functions made the type. MPICH has one type for each pair of arguments. It
/// is committed and never freed.
bool is_f90(const mpi::Datatype& type);

/// The handle that get_contents returns. Named types and Fortran 90 types have one handle; others get a new one.
MPI_Datatype handle_of_contents(const mpi::DatatypeRef& type);

/// A type's handle for a call of the program's function. It is the program's own handle if there is one, otherwise a
/// new handle for the lifetime of this object.
class BorrowedTypeHandle {
  public:
    explicit BorrowedTypeHandle(const mpi::Datatype& type);
    BorrowedTypeHandle(const BorrowedTypeHandle&) = delete;
    BorrowedTypeHandle& operator=(const BorrowedTypeHandle&) = delete;
    ~BorrowedTypeHandle();

    [[nodiscard]] MPI_Datatype handle() const { return handle_; }

  private:
    MPI_Datatype handle_ = MPI_DATATYPE_NULL;
    bool is_new_ = false;
};

/// Whether calls whose counts have this type are of the int form or of the large form.
template <class Count>
constexpr mpi::CountForm form_of() {
    return std::is_same_v<Count, int> ? mpi::CountForm::kInt : mpi::CountForm::kLarge;
}

/// Copies `count` values of a call. Throws CallError if the count is negative.
template <class Integer, class Number>
std::vector<Integer> values(const Number* from, std::int64_t count) {
    if (count < 0) raise(mpi::ErrorClass::kCount, "the count " + std::to_string(count) + " is negative");
    return {from, from + count};
}

}  // namespace haichi::abi::mpich
