#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::mpich {

/// A handle for a type that the running rank makes.
MPI_Datatype add_type(mpi::DatatypeRef type);

/// Whether it is one of those of MPI_Type_create_f90_...: MPICH has a type for each pair of arguments, which is not
/// freed, and is committed.
bool is_f90(const mpi::Datatype& type);

/// As get_contents gives types: named ones, and those of Fortran 90, have one handle; others get another one.
MPI_Datatype handle_of_contents(const mpi::DatatypeRef& type);

/// A handle for a call of the program: that which it has, else a new one for as long as this object lives.
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

/// Which of two kinds of calls has counts of this type.
template <class Count>
constexpr mpi::CountForm form_of() {
    return std::is_same_v<Count, int> ? mpi::CountForm::kInt : mpi::CountForm::kLarge;
}

/// `count` values of a call, which may be negative.
template <class Integer, class Number>
std::vector<Integer> values(const Number* from, std::int64_t count) {
    if (count < 0) raise(mpi::ErrorClass::kCount, "the count " + std::to_string(count) + " is negative");
    return {from, from + count};
}

}  // namespace haichi::abi::mpich
