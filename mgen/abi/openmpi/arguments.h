#pragma once

// Conversions of arguments between Open MPI and MPICH. Temporary objects hold converted values during a call. Their
// destructors store what the call has changed.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "mgen/abi/openmpi/handles.h"
#include "mgen/abi/openmpi/numbers.h"

namespace haichi::abi::openmpi {

using mpich::check_place;

/// Open MPI's MPI_Status.
struct Status {
    int source, tag, error, cancelled;
    std::size_t bytes;
};

MPI_Status status_of_mpich(const Status& given);
Status status(const MPI_Status& of_mpich);

inline bool is_in_place(const void* data) { return data == reinterpret_cast<const void*>(1); }
inline const void* buffer(const void* data) { return is_in_place(data) ? MPI_IN_PLACE : data; }
inline void* buffer(void* data) { return is_in_place(data) ? MPI_IN_PLACE : data; }
const int* weights(const int* given);
inline int* weights(int* given) { return const_cast<int*>(weights(static_cast<const int*>(given))); }

/// The only file is MPI_FILE_NULL.
inline MPI_File file(File given) {
    const bool is_null = given != nullptr && given->magic == kMagic && given->handle == 0;
    return is_null ? MPI_FILE_NULL : reinterpret_cast<MPI_File>(given);
}

/// Converts a handle that the call returns through a pointer.
template <class Handle>
class NewHandle {
  public:
    explicit NewHandle(Handle* to) : to_(to) {}
    ~NewHandle() {
        if (made_ != kNone) *to_ = handle_of_mpich<Handle>(made_);
    }
    NewHandle(const NewHandle&) = delete;
    NewHandle& operator=(const NewHandle&) = delete;
    operator int*() { return &made_; }  // NOLINT(google-explicit-constructor): an argument

  private:
    static constexpr int kNone = 0;
    Handle* to_;
    int made_ = kNone;
};

/// Converts handles that the call reads.
class Handles {
  public:
    template <class Handle>
    Handles(const Handle* from, std::int64_t count)
        : of_mpich_(count > 0 ? new int[static_cast<std::size_t>(count)] : nullptr) {
        std::transform(from, from + std::max<std::int64_t>(count, 0), of_mpich_.get(),
                       [](Handle one) { return handle(one); });
    }
    operator const int*() const { return of_mpich_.get(); }  // NOLINT(google-explicit-constructor)

  protected:
    std::unique_ptr<int[]> of_mpich_;
};

/// Converts handles that the call may change.
template <class Handle>
class ChangedHandles : public Handles {
  public:
    ChangedHandles(Handle* handles, int count) : Handles(handles, count), handles_(handles), count_(count) {}
    ~ChangedHandles() {
        for (int i = 0; i < count_; ++i) {
            if (of_mpich_[static_cast<std::size_t>(i)] != handle(handles_[i])) {
                handles_[i] = handle_of_mpich<Handle>(of_mpich_[static_cast<std::size_t>(i)]);
            }
        }
    }
    ChangedHandles(const ChangedHandles&) = delete;
    ChangedHandles& operator=(const ChangedHandles&) = delete;
    operator int*() { return of_mpich_.get(); }  // NOLINT(google-explicit-constructor)

  private:
    Handle* handles_;
    int count_;
};

template <class Handle>
class ChangedHandle {
  public:
    explicit ChangedHandle(Handle* place) : place_(place), of_mpich_(handle(*place)) {}
    ~ChangedHandle() {
        if (of_mpich_ != handle(*place_)) *place_ = handle_of_mpich<Handle>(of_mpich_);
    }
    ChangedHandle(const ChangedHandle&) = delete;
    ChangedHandle& operator=(const ChangedHandle&) = delete;
    operator int*() { return &of_mpich_; }  // NOLINT(google-explicit-constructor)

  private:
    Handle* place_;
    int of_mpich_;
};

/// The number of data types that MPI_Alltoallw reads for receiving (senders) or for sending (receivers). With
/// MPI_IN_PLACE, it reads no types for sending.
int senders(Comm comm);
int receivers(const void* data, Comm comm);
int neighbor_senders(Comm comm);
int neighbor_receivers(const void* data, Comm comm);

/// Converts statuses that the call may change. A null address is MPI_STATUS_IGNORE in Open MPI.
class Statuses {
  public:
    Statuses(Status* to, int count);
    ~Statuses();
    Statuses(const Statuses&) = delete;
    Statuses& operator=(const Statuses&) = delete;
    operator MPI_Status*() { return to_ == nullptr ? MPI_STATUSES_IGNORE : of_mpich_.get(); }  // NOLINT

  private:
    Status* to_;
    int count_;
    std::unique_ptr<MPI_Status[]> of_mpich_;
};

class StatusPlace {
  public:
    explicit StatusPlace(Status* to) : to_(to) {
        if (to != nullptr) of_mpich_ = status_of_mpich(*to);
    }
    ~StatusPlace() {
        if (to_ != nullptr) *to_ = status(of_mpich_);
    }
    StatusPlace(const StatusPlace&) = delete;
    StatusPlace& operator=(const StatusPlace&) = delete;
    operator MPI_Status*() { return to_ == nullptr ? MPI_STATUS_IGNORE : &of_mpich_; }  // NOLINT

  private:
    Status* to_;
    MPI_Status of_mpich_{};
};

class StatusValue {
  public:
    explicit StatusValue(const Status* given) {
        check_place(given);
        of_mpich_ = status_of_mpich(*given);
    }
    operator const MPI_Status*() const { return &of_mpich_; }  // NOLINT(google-explicit-constructor)

  private:
    MPI_Status of_mpich_;
};

/// Converts numbers that the call reads.
template <auto kConvert>
class Numbers {
  public:
    Numbers(const int* from, int count) : converted_(count > 0 ? new int[static_cast<std::size_t>(count)] : nullptr) {
        std::transform(from, from + std::max(count, 0), converted_.get(), kConvert);
    }
    operator const int*() const { return converted_.get(); }  // NOLINT(google-explicit-constructor)

  private:
    std::unique_ptr<int[]> converted_;
};

/// Converts numbers that the call stores. A call stores either all of them or none.
template <auto kConvert>
class Results {
  public:
    Results(int* to, int count) : to_(to), count_(std::max(count, 0)), stored_(new int[std::size_t(count_) + 1]) {
        std::fill_n(stored_.get(), count_, kNone);
    }
    ~Results() {
        for (int i = 0; i < count_; ++i) {
            if (stored_[std::size_t(i)] != kNone) to_[i] = kConvert(stored_[std::size_t(i)]);
        }
    }
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;
    operator int*() { return stored_.get(); }  // NOLINT(google-explicit-constructor)

  private:
    static constexpr int kNone = -2000000000;  // a number that none of the MPI constants has
    int* to_;
    int count_;
    std::unique_ptr<int[]> stored_;
};

template <auto kConvert>
class Result : public Results<kConvert> {
  public:
    explicit Result(int* to) : Results<kConvert>(to, 1) {}
};

/// Converts the key that a call frees.
class FreedKeyval {
  public:
    explicit FreedKeyval(int* place) : place_(place), of_mpich_(keyval_of_mpich(*place)) {}
    ~FreedKeyval() {
        if (of_mpich_ == MPI_KEYVAL_INVALID) *place_ = kNoKeyval;
    }
    FreedKeyval(const FreedKeyval&) = delete;
    FreedKeyval& operator=(const FreedKeyval&) = delete;
    operator int*() { return &of_mpich_; }  // NOLINT(google-explicit-constructor)

  private:
    int* place_;
    int of_mpich_;
};

}  // namespace haichi::abi::openmpi
