#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace haichi {

/// Computes exp and log with additions, multiplications and divisions only. The C library selects different code for
/// different processors, so the last bits of its results differ. Results of haichi must be byte-identical everywhere.
/// The relative error is below 1e-14.

/// The natural logarithm of a positive normal number.
constexpr double deterministic_log(double x) {
    constexpr double kLn2 = 0.693147180559945309417232;
    constexpr int kMantissaBits = 52;
    constexpr std::uint64_t kMantissa = (std::uint64_t{1} << kMantissaBits) - 1;
    constexpr std::uint64_t kHalf = std::uint64_t{1022} << kMantissaBits;  // exponent bits of [0.5, 1)
    const auto bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> kMantissaBits) - 1022;
    auto mantissa = std::bit_cast<double>((bits & kMantissa) | kHalf);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2;
        --exponent;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)) with |argument| <= 0.172. Eleven terms of the series reach 1e-17.
    const double s = (mantissa - 1) / (mantissa + 1);
    const double square = s * s;
    double sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return exponent * kLn2 + 2 * s * sum;
}

/// e^x for |x| <= 700.
inline double deterministic_exp(double x) {
    constexpr double kLn2 = 0.693147180559945309417232;
    const double power = std::floor(x / kLn2 + 0.5);
    const double rest = x - power * kLn2;
    double sum = 1;
    for (int k = 16; k >= 1; --k) sum = 1 + rest / k * sum;
    return std::ldexp(sum, static_cast<int>(power));
}

}  // namespace haichi
