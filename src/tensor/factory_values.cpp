// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/scalar_checked.hpp"
#include "memory/watch.hpp"
#include "tensor/factory_fused.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

/// Factories that work out their elements. The tensor is fresh and row-major, so a plain loop writes it.
namespace tenstride {
namespace {

template <typename T>
constexpr bool is_stored_only =
    std::is_same_v<T, float8_e4m3fn> || std::is_same_v<T, float8_e5m2> || std::is_same_v<T, complex32>;

[[noreturn]] void throw_dtype(std::string_view operation, DType dtype, std::string_view allowed) {
  throw RuntimeError(detail::message(operation, ": dtype ", name(dtype), " must be ", allowed));
}

/// start, step and the count of an arange whose elements are computed in Number.
template <typename Number>
struct Range {
  Number start;
  Number step;
  Index count;
};

[[noreturn]] void throw_range(const Scalar& start, const Scalar& end, const Scalar& step,
                              std::string_view rule) {
  throw RuntimeError(detail::message("arange: step ", step.to_string(), " must ", rule, " (start ",
                                     start.to_string(), ", end ", end.to_string(), ")"));
}

/// A whole number of -2^63 … 2^64-1.
struct Whole {
  explicit Whole(const Scalar& value) {
    const auto* const large = std::get_if<std::uint64_t>(&value.value());
    const std::int64_t small = large != nullptr ? 0 : value.to<std::int64_t>();
    is_negative = small < 0;
    magnitude = large != nullptr ? *large : static_cast<std::uint64_t>(small);
    if (is_negative) magnitude = 0 - magnitude;
  }
  bool is_negative;
  std::uint64_t magnitude;
};

/// ceil((high - low) / step), where that fits 64 bits; nothing where it does not. Pre: low <= high, step > 0.
std::optional<std::uint64_t> steps_between(const Whole& low, const Whole& high, std::uint64_t step) {
  const auto ceil = [step](std::uint64_t n) { return n / step + (n % step != 0 ? 1 : 0); };
  if (low.is_negative == high.is_negative) {
    return ceil(low.is_negative ? low.magnitude - high.magnitude : high.magnitude - low.magnitude);
  }
  const std::uint64_t sum = high.magnitude + low.magnitude;
  if (sum >= high.magnitude) return ceil(sum);
  if (step == 1) return {};
  // 2^64 + sum, each divided.
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t rest = most % step + 1;
  return most / step + sum / step + ceil(rest + sum % step);
}

/// ceil((end - start) / step), exactly where all three are integers.
Index arange_count(const Scalar& start, const Scalar& end, const Scalar& step) {
  const auto is_whole = [](const Scalar& value) { return value.is_integer() || value.is_bool(); };
  if (is_whole(start) && is_whole(end) && is_whole(step)) {
    const Whole by(step);
    const std::optional<std::uint64_t> count = by.is_negative
                                                   ? steps_between(Whole(end), Whole(start), by.magnitude)
                                                   : steps_between(Whole(start), Whole(end), by.magnitude);
    if (!count || !std::in_range<Index>(*count)) {
      throw_range(start, end, step, "give fewer than 2^63 elements");
    }
    return static_cast<Index>(*count);
  }
  const double count = std::ceil((end.to<double>() - start.to<double>()) / step.to<double>());
  if (!(count >= 0 && count < 0x1p63)) throw_range(start, end, step, "give 0..2^63-1 elements");
  return static_cast<Index>(count);
}

template <typename T, typename Number>
Range<Number> make_range(const Scalar& start, const Scalar& end, const Scalar& step) {
  for (const Scalar& bound : {start, end}) {
    if (!std::isfinite(bound.to<double>())) {
      throw RuntimeError(detail::message("arange: start ", start.to_string(), " and end ", end.to_string(),
                                         " must be finite"));
    }
  }
  const auto first = detail::checked_element<Number>(start, "arange");
  const auto last = detail::checked_element<Number>(end, "arange");
  const auto by = detail::checked_element<Number>(step, "arange");
  if (!(by > 0 || by < 0)) throw_range(start, end, step, "not be 0 in the type it is counted in");
  // An unsigned step has wrapped where it was negative.
  const bool descends = step.to<double>() < 0;
  if (descends ? last > first : last < first) throw_range(start, end, step, "lead from start to end");
  // For int64, and for it alone, PyTorch drops the fractions before it counts.
  if constexpr (std::is_same_v<T, std::int64_t>) return {first, by, arange_count(first, last, by)};
  return {first, by, arange_count(start, end, step)};
}

/// The type in which elements of T are computed (PyTorch's accumulate type). uint64 counts modulo 2^64.
template <typename T>
using Accumulate =
    std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t,
                       std::conditional_t<std::is_integral_v<T>, std::int64_t,
                                          std::conditional_t<is_small_float<T>, float, double>>>;

/// Elements that one thread writes at a time.
constexpr Index grain = Index{1} << 16;

template <typename T>
void write_range(T* first, const Range<std::int64_t>& range) {
  // Unsigned, because the product may run over where the sum does not.
  const auto start = static_cast<std::uint64_t>(range.start);
  const auto step = static_cast<std::uint64_t>(range.step);
  const auto write = [=](Index from, Index to) __attribute__((always_inline)) {
    std::uint64_t value = start + step * static_cast<std::uint64_t>(from);
    for (Index i = from; i < to; ++i) {
      first[i] = static_cast<T>(value);
      value += step;
    }
  };
  parallel_for(0, range.count, grain, [&](Index from, Index to) { detail::run_fused(write, from, to); });
}
inline void write_range(std::uint64_t* first, const Range<std::uint64_t>& range) {
  for (Index i = 0; i < range.count; ++i) first[i] = range.start + range.step * static_cast<std::uint64_t>(i);
}

/// Floating types go in blocks of what a vector of PyTorch's AVX2 kernel holds: each block counts on from its
/// first number as it was rounded to T, so the last bits are PyTorch's. (For more than 32768 numbers
/// PyTorch's depend on its threads; these are those of one thread.) Blocks come in pairs; what is left over
/// counts from the start.
template <typename T, typename Number>
requires(!std::is_integral_v<Number>) void write_range(T* first, const Range<Number>& range) {
  constexpr Index block = 32 / static_cast<Index>(sizeof(T));
  const auto write =
      [ first, start = range.start, step = range.step ](Index from, Index to) __attribute__((always_inline)) {
    for (Index i = from; i < to; i += block) {
      const auto base = static_cast<Number>(static_cast<T>(std::fma(step, static_cast<Number>(i), start)));
      for (Index lane = 0; lane < block; ++lane) {
        first[i + lane] = static_cast<T>(std::fma(step, static_cast<Number>(lane), base));
      }
    }
  };
  const Index blocks = range.count / (2 * block) * 2;
  parallel_for(0, blocks, grain / block,
               [&](Index from, Index to) { detail::run_fused(write, from * block, to * block); });
  for (Index i = blocks * block; i < range.count; ++i) {
    first[i] = static_cast<T>(std::fma(range.step, static_cast<Number>(i), range.start));
  }
}

/// Both halves count from their own end, so that both ends are exact (PyTorch's rule, with multiplications
/// and additions fused as its compiler has them).
template <typename T, typename Step>
void write_linspace(T* first, Index steps, T start, T end, Step step) {
  const auto at = [step](auto from, auto i) __attribute__((always_inline)) {
    if constexpr (is_small_float<T>) {
      const T product =
          static_cast<T>(static_cast<float>(step) * static_cast<float>(T(static_cast<float>(i))));
      return static_cast<T>(static_cast<float>(from) + static_cast<float>(product));
    } else if constexpr (is_complex_element<T>) {
      using Part = typename T::value_type;
      const auto n = static_cast<Part>(i);
      return T(std::fma(step.real(), n, from.real()), std::fma(step.imag(), n, from.imag()));
    } else if constexpr (std::is_integral_v<T>) {
      return convert_element<T>(std::fma(step, static_cast<double>(i), static_cast<double>(from)));
    } else {
      return std::fma(step, static_cast<T>(i), from);
    }
  };
  // Counted in 32 bits where they suffice: processors have vectors of such to be converted.
  const bool is_short = steps <= std::numeric_limits<std::int32_t>::max();
  const auto count = [=](auto anchor, auto zero, auto from, auto to) __attribute__((always_inline)) {
    for (auto i = from; i < to; ++i) first[i] = at(anchor, i - zero);
  };
  const auto count_by = [=](auto anchor, Index zero, Index from, Index to) __attribute__((always_inline)) {
    using Short = std::int32_t;
    if (is_short) {
      count(anchor, static_cast<Short>(zero), static_cast<Short>(from), static_cast<Short>(to));
    } else {
      count(anchor, zero, from, to);
    }
  };
  const auto write_first = [=](Index from, Index to) __attribute__((always_inline)) {
    count_by(start, 0, from, to);
  };
  const auto write_second = [=](Index from, Index to) __attribute__((always_inline)) {
    count_by(end, steps - 1, from, to);
  };
  parallel_for(0, steps / 2, grain, [&](Index from, Index to) { detail::run_fused(write_first, from, to); });
  parallel_for(steps / 2, steps, grain,
               [&](Index from, Index to) { detail::run_fused(write_second, from, to); });
}

template <typename T>
auto linspace_step(T start, T end, Index steps) {
  if constexpr (is_small_float<T>) {
    const T width = T(static_cast<float>(end) - static_cast<float>(start));
    return T(static_cast<float>(width) / static_cast<float>(T(static_cast<float>(steps - 1))));
  } else if constexpr (is_complex_element<T>) {
    const auto count = static_cast<typename T::value_type>(steps - 1);
    return T((end.real() - start.real()) / count, (end.imag() - start.imag()) / count);
  } else if constexpr (std::is_integral_v<T>) {
    return (static_cast<double>(end) - static_cast<double>(start)) / static_cast<double>(steps - 1);
  } else {
    return (end - start) / static_cast<T>(steps - 1);
  }
}

}  // namespace

Tensor arange(const Scalar& end, const TensorOptions& options, Caller caller) {
  return arange(0, end, 1, options, caller);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& options,
              Caller caller) {
  const detail::OperationScope scope("arange", caller);
  const auto counts = [](const Scalar& value) { return value.is_integer() || value.is_bool(); };
  TensorOptions typed = options;
  if (!typed.dtype)
    typed.dtype = counts(start) && counts(end) && counts(step) ? DType::int64 : default_dtype();
  return visit(*typed.dtype, [&](auto type) -> Tensor {
    using T = typename decltype(type)::type;
    if constexpr (std::is_same_v<T, bool> || is_complex_element<T> || is_stored_only<T>) {
      throw_dtype("arange", *typed.dtype, "an integer type, float16, bfloat16, float32 or float64");
    } else {
      const auto range = make_range<T, Accumulate<T>>(start, end, step);
      Tensor result = empty({range.count}, typed);
      if (result.has_memory()) write_range(reinterpret_cast<T*>(result.mutable_storage_data()), range);
      return result;
    }
  });
}

Tensor linspace(const Scalar& start, const Scalar& end, Index steps, const TensorOptions& options,
                Caller caller) {
  const detail::OperationScope scope("linspace", caller);
  const bool is_complex_range = start.is_complex() || end.is_complex();
  TensorOptions typed = options;
  if (!typed.dtype) typed.dtype = is_complex_range ? default_complex_dtype() : default_dtype();
  if (is_complex_range && !is_complex(*typed.dtype)) {
    throw_dtype("linspace", *typed.dtype, "complex64 or complex128, as start or end is complex");
  }
  if (steps < 0) throw RuntimeError(detail::message("linspace: steps ", steps, " must not be negative"));
  return visit(*typed.dtype, [&](auto type) -> Tensor {
    using T = typename decltype(type)::type;
    if constexpr (std::is_same_v<T, bool> || is_stored_only<T>) {
      if (steps > 1)
        throw_dtype("linspace", *typed.dtype, "an integer, 16-bit or wider floating, or complex type");
    }
    // Numbers that no element needs are not looked at, as in PyTorch.
    const T first = steps > 0 ? detail::checked_element<T>(start, "linspace") : T{};
    const T last = steps > 1 ? detail::checked_element<T>(end, "linspace") : first;
    Tensor result = empty({steps}, typed);
    if (!result.has_memory() || steps == 0) return result;
    auto* const elements = reinterpret_cast<T*>(result.mutable_storage_data());
    if (steps == 1) {
      elements[0] = first;
    } else if constexpr (!std::is_same_v<T, bool> && !is_stored_only<T>) {
      write_linspace(elements, steps, first, last, linspace_step(first, last, steps));
    }
    return result;
  });
}

Tensor eye(Index n, std::optional<Index> m, const TensorOptions& options, Caller caller) {
  const detail::OperationScope scope("eye", caller);
  const Index columns = m.value_or(n);
  if (n < 0 || columns < 0) {
    throw RuntimeError(detail::message("eye: n ", n, " and m ", columns, " must not be negative"));
  }
  Tensor result = zeros({n, columns}, options);
  if (result.numel() > 0) result.diagonal().fill_(1);
  return result;
}

}  // namespace tenstride
