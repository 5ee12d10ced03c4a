#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

/// Creates a handle for a type that the running rank has constructed.
MPI_Datatype add_type(mpi::DatatypeRef type);

/// True if one of the MPI_Type_create_f90_* functions made the type. For equal arguments, these return the same type,
/// as in MPICH. Such a type is committed and never freed.
bool is_f90(const mpi::Datatype& type);

/// The handle that get_contents returns. Named types and Fortran 90 types have one handle each; other types get a new
/// handle.
MPI_Datatype handle_of_contents(const mpi::DatatypeRef& type);

/// The handle of a type, for a call of a function of the program. If the program has a handle for the type, it is used;
/// otherwise a new handle exists during the lifetime of this object.
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

/// The form of a call, int or large, by the type of its counts.
template <class Count>
constexpr mpi::CountForm form_of() {
    return std::is_same_v<Count, int> ? mpi::CountForm::kInt : mpi::CountForm::kLarge;
}

/// Copies an array of `count` values that a call takes. Throws CallError if `count` is negative.
template <class Integer, class Number>
std::vector<Integer> values(const Number* from, std::int64_t count) {
    if (count < 0) raise(mpi::ErrorClass::kCount, "the count " + std::to_string(count) + " is negative");
    return {from, from + count};
}

}  // namespace haichi::abi::mpich
