#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mgen/mpi/basic_type.h"

namespace haichi::mpi {

class Signature;
using SignatureRef = std::shared_ptr<const Signature>;

/// The sequence of basic types in a data type, without their positions. The signatures of sender and receiver must
/// match. A tree of repeated parts stores it, so its memory is proportional to the type's description. A pair (MPI_2INT
/// and others) appears as its two parts.
class Signature {
  public:
    /// `count` copies of a basic type that is not a pair.
    struct Run {
        BasicType type;
        std::int64_t count;
    };
    /// `times` copies of `of`.
    struct Repeat {
        std::int64_t times;
        SignatureRef of;
    };

    static SignatureRef basic(BasicType type);
    /// Returns the signature of `times` copies of `of`; a single run stays a single run.
    static SignatureRef repeated(std::int64_t times, const SignatureRef& of);
    static SignatureRef sequence(std::vector<Repeat> parts);

    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] std::int64_t elements() const { return elements_; }
    [[nodiscard]] std::int64_t external32_bytes() const { return external32_bytes_; }

    /// Calls visit(Run) for each run in order, until it returns false. Returns true if all runs were visited.
    template <class Visit>
    bool visit_runs(Visit&& visit) const {
        if (run_) return run_->count == 0 || visit(*run_);
        for (const Repeat& part : parts_) {
            for (std::int64_t i = 0; i < part.times; ++i) {
                if (!part.of->visit_runs(visit)) return false;
            }
        }
        return true;
    }

    /// Number of basic elements in the first `bytes` bytes; nullopt if the last element is incomplete.
    [[nodiscard]] std::optional<std::int64_t> elements_in(std::int64_t bytes) const;

  private:
    Signature() = default;
    static SignatureRef run_of(BasicType type, std::int64_t count);

    std::optional<Run> run_;
    std::vector<Repeat> parts_;  ///< empty if the signature is a single run
    std::int64_t bytes_ = 0;
    std::int64_t elements_ = 0;
    std::int64_t external32_bytes_ = 0;
};

}  // namespace haichi::mpi
