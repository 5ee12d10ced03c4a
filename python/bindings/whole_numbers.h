#pragma once

#include <pybind11/numpy.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/errors.h"

namespace haichi {

/// A 1D or 2D NumPy array of integers of any size, bools, or floating-point numbers without fractions. The array is
/// read without a copy, with any strides.
class WholeNumbers {
  public:
    /// `name` is used in messages. Throws InputError for values of other types.
    WholeNumbers(std::string name, pybind11::array array)
        : name_(std::move(name)),
          array_(std::move(array)),
          type_(type_of(array_.dtype())),
          data_(static_cast<const char*>(array_.data())) {
        if (type_ == Type::kOther || array_.ndim() < 1 || array_.ndim() > 2) {
            throw InputError(name_ + " must be an array of whole numbers");
        }
        row_stride_ = array_.strides(0);
        column_stride_ = array_.ndim() == 2 ? array_.strides(1) : 0;
    }

    [[nodiscard]] int dimensions() const { return static_cast<int>(array_.ndim()); }
    [[nodiscard]] std::int64_t size(int dimension = 0) const { return array_.shape(dimension); }

    /// Returns an entry. Throws InputError for fractions and for numbers beyond 2^63 - 1. Does not need the GIL.
    std::int64_t operator[](std::int64_t i) const { return at(data_ + i * row_stride_); }
    std::int64_t operator()(std::int64_t i, std::int64_t j) const {
        return at(data_ + i * row_stride_ + j * column_stride_);
    }

  private:
    enum class Type { kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64, kFloat, kDouble, kOther };

    static Type type_of(const pybind11::dtype& dtype) {
        if (!dtype.attr("isnative").cast<bool>()) return Type::kOther;
        const auto size = dtype.itemsize();
        switch (dtype.kind()) {
            case 'i':
                return size == 1 ? Type::kInt8 : size == 2 ? Type::kInt16 : size == 4 ? Type::kInt32 : Type::kInt64;
            case 'b':
                return Type::kUint8;
            case 'u':
                return size == 1 ? Type::kUint8 : size == 2 ? Type::kUint16 : size == 4 ? Type::kUint32 : Type::kUint64;
            case 'f':
                return size == sizeof(float) ? Type::kFloat : size == sizeof(double) ? Type::kDouble : Type::kOther;
            default:
                return Type::kOther;
        }
    }

    /// Reads a value that need not be aligned.
    template <class Value>
    static Value load(const char* place) {
        Value value;
        std::memcpy(&value, place, sizeof(value));
        return value;
    }

    [[nodiscard]] std::int64_t at(const char* place) const {
        switch (type_) {
            case Type::kInt8:
                return load<std::int8_t>(place);
            case Type::kInt16:
                return load<std::int16_t>(place);
            case Type::kInt32:
                return load<std::int32_t>(place);
            case Type::kInt64:
                return load<std::int64_t>(place);
            case Type::kUint8:
                return load<std::uint8_t>(place);
            case Type::kUint16:
                return load<std::uint16_t>(place);
            case Type::kUint32:
                return load<std::uint32_t>(place);
            case Type::kUint64: {
                const auto value = load<std::uint64_t>(place);
                if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) refuse_size();
                return static_cast<std::int64_t>(value);
            }
            case Type::kFloat:
                return whole(load<float>(place));
            case Type::kDouble:
                return whole(load<double>(place));
            case Type::kOther:
                break;
        }
        return 0;
    }

    [[nodiscard]] std::int64_t whole(double value) const {
        constexpr double kBeyond = 9223372036854775808.0;  // 2^63
        if (!std::isfinite(value) || value != std::rint(value)) {
            throw InputError(name_ + " must contain whole numbers, not " + std::to_string(value));
        }
        if (value >= kBeyond || value <= -kBeyond) refuse_size();
        return static_cast<std::int64_t>(value);
    }

    [[noreturn]] void refuse_size() const { throw InputError(name_ + " must not contain numbers beyond 2^63 - 1"); }

    std::string name_;
    pybind11::array array_;
    Type type_;
    const char* data_;
    std::int64_t row_stride_ = 0;
    std::int64_t column_stride_ = 0;
};

}  // namespace haichi
