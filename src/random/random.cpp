// SPDX-License-Identifier: Apache-2.0
#include "tenstride/random/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "random/parts.hpp"
#include "tenstride/base/default_dtype.hpp"

namespace tenstride {
namespace {

using detail::elements;
using detail::require_real_or_complex;
using detail::throw_dtype;
using detail::whole_digits;
using detail::with_shared;

Tensor fill_uniform(Tensor fresh, Generator& generator) {
  detail::visit_reals(fresh,
                      [&](auto* first, Index count) { detail::draw_uniforms(first, count, generator); });
  return fresh;
}

Tensor fill_normal(Tensor fresh, Generator& generator) {
  const double deviation = fresh.is_complex() ? 1.0 / std::sqrt(2.0) : 1.0;
  const bool is_row_major = fresh.is_contiguous();
  detail::visit_reals(fresh, [&](auto* first, Index count) {
    using enum detail::NormalDraw;
    detail::fill_normal(first, count, {0, deviation}, count >= 16 && is_row_major ? blocks : single,
                        generator);
  });
  return fresh;
}

DType dtype_like(const Tensor& input, const LikeOptions& options) {
  return options.dtype.value_or(input.dtype());
}

template <typename T>
void shuffle(T* first, Index n, Generator& generator) {
  // From here on PyTorch draws 64 bits, and shuffles the other way round (Fisher and Yates, "inside-out").
  constexpr Index long_from = std::numeric_limits<std::uint32_t>::max() / 20;
  if (n < long_from) {
    for (Index i = 0; i < n; ++i) first[i] = convert_element<T>(i);
    // Positions are drawn some steps before they are used, so that they can be prefetched.
    std::array<std::uint32_t, 64> others;
    for (Index done = 0; done < n - 1;) {
      const Index count = std::min(n - 1 - done, static_cast<Index>(others.size()));
      generator.random(others.data(), static_cast<std::size_t>(count));
      for (Index i = 0; i < count; ++i) {
        std::uint32_t& other = others[static_cast<std::size_t>(i)];
        other %= static_cast<std::uint32_t>(n - done - i);
        __builtin_prefetch(first + done + i + other, 1);
      }
      for (Index i = 0; i < count; ++i) {
        std::swap(first[done + i], first[done + i + others[static_cast<std::size_t>(i)]]);
      }
      done += count;
    }
    return;
  }
  for (Index i = 0; i < n; ++i) {
    const auto other = static_cast<Index>(generator.random64() % static_cast<std::uint64_t>(i + 1));
    first[i] = convert_element<T>(i);
    std::swap(first[i], first[other]);
  }
}

}  // namespace

detail::SharedGenerator& detail::shared_generator() {
  static SharedGenerator instance;
  return instance;
}

Generator& Generator::manual_seed(std::uint64_t seed) {
  seed_ = seed;
  kept_normal_.reset();
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < state_size; ++i) {
    state_[i] = 1812433253U * (state_[i - 1] ^ state_[i - 1] >> 30U) + i;
  }
  next_ = state_size;
  return *this;
}

void Generator::refill() {
  constexpr std::size_t middle = 397;
  const auto twisted = [this](std::size_t i, std::size_t next, std::size_t other) {
    const std::uint32_t word = (state_[i] & 0x80000000U) | (state_[next] & 0x7fffffffU);
    return state_[other] ^ word >> 1U ^ ((0U - (word & 1U)) & 0x9908b0dfU);
  };
  // Three loops without a remainder operation: the elements that they read are far enough away for vectors.
  for (std::size_t i = 0; i < state_size - middle; ++i) state_[i] = twisted(i, i + 1, i + middle);
  for (std::size_t i = state_size - middle; i < state_size - 1; ++i) {
    state_[i] = twisted(i, i + 1, i + middle - state_size);
  }
  state_[state_size - 1] = twisted(state_size - 1, 0, middle - 1);
  next_ = 0;
}

void Generator::random(std::uint32_t* words, std::size_t count) {
  while (count > 0) {
    if (next_ == state_size) refill();
    const std::size_t n = std::min(count, state_size - next_);
    const std::uint32_t* const state = state_.data() + next_;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t word = state[i];
      word ^= word >> 11U;
      word ^= (word << 7U) & 0x9d2c5680U;
      word ^= (word << 15U) & 0xefc60000U;
      words[i] = word ^ (word >> 18U);
    }
    next_ += n;
    words += n;
    count -= n;
  }
}

void manual_seed(std::uint64_t seed) {
  detail::SharedGenerator& it = detail::shared_generator();
  const std::lock_guard<std::mutex> lock(it.mutex);
  it.generator.manual_seed(seed);
}

std::uint64_t initial_seed() {
  detail::SharedGenerator& it = detail::shared_generator();
  const std::lock_guard<std::mutex> lock(it.mutex);
  return it.generator.initial_seed();
}

Tensor rand(const Dims& size, Generator& generator, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("rand", caller);
  require_real_or_complex("rand", options.dtype.value_or(default_dtype()));
  return fill_uniform(empty(size, options), generator);
}
Tensor rand(const Dims& size, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("rand", caller);
  return with_shared([&](Generator& generator) { return rand(size, generator, options, caller); });
}
Tensor rand_like(const Tensor& input, Generator& generator, const LikeOptions& options, Caller caller) {
  const detail::OperationScope scope("rand_like", caller);
  require_real_or_complex("rand_like", dtype_like(input, options));
  return fill_uniform(empty_like(input, options), generator);
}
Tensor rand_like(const Tensor& input, const LikeOptions& options, Caller caller) {
  const detail::OperationScope scope("rand_like", caller);
  return with_shared([&](Generator& generator) { return rand_like(input, generator, options, caller); });
}

Tensor randn(const Dims& size, Generator& generator, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("randn", caller);
  require_real_or_complex("randn", options.dtype.value_or(default_dtype()));
  return fill_normal(empty(size, options), generator);
}
Tensor randn(const Dims& size, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("randn", caller);
  return with_shared([&](Generator& generator) { return randn(size, generator, options, caller); });
}
Tensor randn_like(const Tensor& input, Generator& generator, const LikeOptions& options, Caller caller) {
  const detail::OperationScope scope("randn_like", caller);
  require_real_or_complex("randn_like", dtype_like(input, options));
  return fill_normal(empty_like(input, options), generator);
}
Tensor randn_like(const Tensor& input, const LikeOptions& options, Caller caller) {
  const detail::OperationScope scope("randn_like", caller);
  return with_shared([&](Generator& generator) { return randn_like(input, generator, options, caller); });
}

Tensor randint(Index low, Index high, const Dims& size, Generator& generator, const TensorOptions& options,
               Caller caller) {
  const detail::OperationScope scope("randint", caller);
  TensorOptions typed = options;
  typed.dtype = options.dtype.value_or(DType::int64);
  if (low >= high) {
    throw RuntimeError(detail::message("randint: low ", low, " must be less than high ", high));
  }
  return visit(*typed.dtype, [&](auto type) -> Tensor {
    using T = typename decltype(type)::type;
    if constexpr (whole_digits<T>() == 0) {
      throw_dtype("randint", *typed.dtype, "bool, an integer type, float16, bfloat16, float32 or float64");
    } else {
      const Index from = detail::inward<T>(low, 1);
      const Index to = detail::inward<T>(high, -1);
      if (from >= to) {
        throw RuntimeError(detail::message("randint: ", name(*typed.dtype), " has no number from ", low,
                                           " on that is less than ", high));
      }
      detail::require_range<T>("randint", from, to, *typed.dtype);
      Tensor fresh = empty(size, typed);
      const std::uint64_t range = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
      if (fresh.has_memory())
        detail::fill_integers(elements<T>(fresh), fresh.numel(), from, range, generator);
      return fresh;
    }
  });
}
Tensor randint(Index low, Index high, const Dims& size, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("randint", caller);
  return with_shared(
      [&](Generator& generator) { return randint(low, high, size, generator, options, caller); });
}
Tensor randint(Index high, const Dims& size, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("randint", caller);
  return randint(0, high, size, options, caller);
}

Tensor randperm(Index n, Generator& generator, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("randperm", caller);
  TensorOptions typed = options;
  typed.dtype = options.dtype.value_or(DType::int64);
  return visit(*typed.dtype, [&](auto type) -> Tensor {
    using T = typename decltype(type)::type;
    constexpr int digits = whole_digits<T>();
    if constexpr (digits == 0 || std::is_same_v<T, bool>) {
      throw_dtype("randperm", *typed.dtype, "an integer type, float16, bfloat16, float32 or float64");
    } else {
      // The floating types hold 2^digits, too.
      constexpr Index count = digits >= 63 ? std::numeric_limits<Index>::max()
                                           : (Index{1} << digits) + (std::is_integral_v<T> ? 0 : 1);
      if (n > count) {
        throw RuntimeError(detail::message("randperm: n ", n, " must be at most ", count,
                                           ", as many numbers as ", name(*typed.dtype),
                                           " counts without a gap"));
      }
      Tensor fresh = empty({n}, typed);
      if (fresh.has_memory()) shuffle(elements<T>(fresh), n, generator);
      return fresh;
    }
  });
}
Tensor randperm(Index n, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("randperm", caller);
  return with_shared([&](Generator& generator) { return randperm(n, generator, options, caller); });
}

}  // namespace tenstride
