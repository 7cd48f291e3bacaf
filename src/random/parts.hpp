// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/message.hpp"
#include "random/normal.hpp"

/// What random tensors and the operations that fill a tensor in place share.
namespace tenstride::detail {

/// The generator of all calls that name none, shared by all threads.
struct SharedGenerator {
  std::mutex mutex;
  Generator generator;
};

SharedGenerator& shared_generator();

/// Calls draw(generator) with the shared generator, while no other thread uses it.
template <typename Draw>
decltype(auto) with_shared(const Draw& draw) {
  SharedGenerator& it = shared_generator();
  const std::lock_guard<std::mutex> lock(it.mutex);
  return draw(it.generator);
}

[[noreturn]] inline void throw_dtype(std::string_view operation, DType dtype, std::string_view allowed) {
  throw RuntimeError(message(operation, ": dtype ", name(dtype), " must be ", allowed));
}

/// Returns the address of the first element of a dense tensor, whose elements fill its memory in any order.
template <typename T>
T* elements(Tensor& dense) {
  return reinterpret_cast<T*>(dense.mutable_data_ptr());
}

/// Calls f(first, count) with the numbers of a dense floating or complex tensor: of complex elements both
/// parts. Does nothing on meta.
template <typename F>
void visit_reals(Tensor& dense, const F& f) {
  if (!dense.has_memory()) return;
  const Index count = dense.numel() * (dense.is_complex() ? 2 : 1);
  switch (component_type(dense.dtype())) {
    case DType::float64:
      return f(elements<double>(dense), count);
    case DType::float16:
      return f(elements<float16>(dense), count);
    case DType::bfloat16:
      return f(elements<bfloat16>(dense), count);
    default:
      return f(elements<float>(dense), count);
  }
}

inline void require_real_or_complex(std::string_view operation, DType dtype) {
  const bool is_float8 = item_size(dtype) == 1;
  if (is_float8 || !(is_floating_point(dtype) || is_complex(dtype))) {
    throw_dtype(operation, dtype, "float16, bfloat16, float32, float64 or a complex type");
  }
}

/// Returns the binary digits of a type's integers: it holds all up to 2^digits. 0 for types that randint and
/// randperm refuse.
template <typename T>
constexpr int whole_digits() {
  if constexpr (std::is_same_v<T, float16>) return 11;
  if constexpr (std::is_same_v<T, bfloat16>) return 8;
  if constexpr (is_complex_element<T> || is_small_float<T>) return 0;
  return std::numeric_limits<T>::digits;
}

/// Returns a bound, moved inward by one step of the floating type where the type rounds it outward, as in
/// PyTorch.
template <typename T>
Index inward(Index bound, Index towards) {
  if constexpr (std::is_integral_v<T>) {
    return bound;
  } else {
    const Index next = bound + towards;
    const auto nearest = convert_element<double>(convert_element<T>(next));
    if (!std::isfinite(nearest)) return bound;  // refused by require_range
    const auto rounded = convert_element<Index>(nearest);
    if (towards > 0 ? rounded >= bound : rounded < bound) return bound;
    const auto word = static_cast<std::uint64_t>(next);
    const std::uint64_t magnitude = next < 0 ? 0 - word : word;
    const int step = static_cast<int>(std::bit_width(magnitude)) - whole_digits<T>();
    return rounded + towards * (Index{1} << std::max(0, step));
  }
}

template <typename T>
void require_range(std::string_view operation, Index low, Index high, DType dtype) {
  if constexpr (std::is_same_v<T, bool>) {
    if (low >= 0 && high <= 2) return;
  } else if constexpr (std::is_integral_v<T>) {
    if (std::in_range<T>(low) && std::in_range<T>(high - 1)) return;
  } else {
    const auto fits = [](Index bound) {
      return std::isfinite(convert_element<double>(convert_element<T>(bound)));
    };
    if (fits(low) && fits(high - 1)) return;
  }
  throw RuntimeError(
      message(operation, ": low ", low, " and high ", high, " must lie in the range of ", name(dtype)));
}

/// Computes the remainder of 32-bit numbers without a division (Lemire, Kaser and Kurz, "Faster Remainder by
/// Direct Computation", 2019).
class Remainder {
 public:
  explicit Remainder(std::uint64_t divisor)
      : divisor_(divisor), inverse_(std::numeric_limits<std::uint64_t>::max() / divisor + 1) {}
  std::uint64_t operator()(std::uint32_t number) const {
    if (divisor_ > std::numeric_limits<std::uint32_t>::max()) return number;
    const std::uint64_t fraction = inverse_ * number;  // of 2^64; its product with the divisor, in halves
    const std::uint64_t low = static_cast<std::uint32_t>(fraction) * divisor_ >> 32U;
    return ((fraction >> 32U) * divisor_ + low) >> 32U;
  }

 private:
  std::uint64_t divisor_;
  std::uint64_t inverse_;
};

template <typename T>
void fill_integers(T* first, Index count, Index low, std::uint64_t range, Generator& generator) {
  // These types, and only these, draw 64 bits where 32 are too few.
  constexpr bool is_wide = std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> ||
                           std::is_same_v<T, float> || std::is_same_v<T, bfloat16>;
  if (is_wide && range >= std::uint64_t{1} << 32U) {
    for (Index i = 0; i < count; ++i) {
      first[i] = convert_element<T>(
          static_cast<Index>(generator.random64() % range + static_cast<std::uint64_t>(low)));
    }
    return;
  }
  std::array<std::uint32_t, 512> words;
  const Remainder remainder(range);
  for (Index done = 0; done < count;) {
    const Index n = std::min(count - done, static_cast<Index>(words.size()));
    generator.random(words.data(), static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) {
      const std::uint64_t rest = remainder(words[static_cast<std::size_t>(i)]);
      first[done + i] = convert_element<T>(static_cast<Index>(rest + static_cast<std::uint64_t>(low)));
    }
    done += n;
  }
}

}  // namespace tenstride::detail
