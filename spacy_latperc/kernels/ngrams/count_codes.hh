// Counts of n-grams coded in one or two bytes.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace latperc {

// Numbers in ascending order of their codes; a number gets the code of the nearest one.
template <class Code, size_t kCodes>
class NumberCodes {
 public:
  double number(Code code) const { return number_[code]; }
  Code code(double number) const {
    const auto above = std::upper_bound(number_.begin(), number_.end(), number);
    if (above == number_.end()) return static_cast<Code>(kCodes - 1);
    if (above == number_.begin()) return 0;
    const auto below = above - 1;
    return static_cast<Code>((number - *below <= *above - number ? below : above) -
                             number_.begin());
  }

 protected:
  std::array<double, kCodes> number_;
};

// A count in a byte: exact up to kExact, then steps of 14 per cent.
class CountCodes : public NumberCodes<uint8_t, 256> {
 public:
  static constexpr size_t kExact = 127;

  static const CountCodes& shared() {
    static const CountCodes codes;
    return codes;
  }

 private:
  CountCodes() {
    double next = kExact;
    for (size_t code = 0; code < number_.size(); code++) {
      if (code > kExact) next *= 1.14;
      number_[code] = code <= kExact ? static_cast<double>(code) : std::floor(next);
    }
  }
};

// A sum of counts in two bytes: exact up to kExact, then steps of 0.03 per cent.
class SumCodes : public NumberCodes<uint16_t, 65536> {
 public:
  static constexpr size_t kExact = 4095;
  static constexpr double kMost = 1e12;

  static const SumCodes& shared() {
    static const SumCodes codes;
    return codes;
  }

 private:
  SumCodes() {
    const double steps = static_cast<double>(number_.size() - 1 - kExact);
    const double exact = static_cast<double>(kExact);
    for (size_t code = 0; code < number_.size(); code++) {
      const double number = static_cast<double>(code);
      number_[code] =
          code <= kExact ? number : exact * std::pow(kMost / exact, (number - exact) / steps);
    }
  }
};

// A sum of discounts in two bytes: 0, then steps of 0.06 per cent.
class RestCodes : public NumberCodes<uint16_t, 65536> {
 public:
  static constexpr double kLeast = 1.0 / 256, kMost = 1e12;

  static const RestCodes& shared() {
    static const RestCodes codes;
    return codes;
  }

 private:
  RestCodes() {
    const double steps = static_cast<double>(number_.size() - 2);
    number_[0] = 0;
    for (size_t code = 1; code < number_.size(); code++) {
      number_[code] = kLeast * std::pow(kMost / kLeast, static_cast<double>(code - 1) / steps);
    }
  }
};

}  // namespace latperc
