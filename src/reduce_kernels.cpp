// SPDX-License-Identifier: Apache-2.0
// The kernels of reductions: plain loops over blocks of 16 elements, which the compiler turns into vector
// instructions. This file is compiled once for each instruction set, in a namespace of its own; the blocks
// are the same in each, and so are the results.

#define HWY_IS_DEBUG_BUILD 0
// Memory is the limit: wider vectors than AVX2's bring nothing here.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <array>
#include <limits>

#include "reduce_kernels.hpp"
#include "tenstride/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

constexpr Index lanes = 16;

/// The type in which sums and products are taken.
template <class T>
using Wide = std::conditional_t<is_complex_element<T>, std::complex<double>,
                                std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>>;
template <class T>
using Comparable = std::conditional_t<is_small_float<T>, float, T>;

template <class T>
struct Sum {
  using State = Wide<T>;
  static constexpr State first() { return State(0); }
  static State read(T value) {
    if constexpr (is_complex_element<T>) {
      return State(value.real(), value.imag());
    } else if constexpr (is_small_float<T>) {
      return static_cast<double>(static_cast<float>(value));
    } else {
      return static_cast<State>(value);
    }
  }
  static State fold(State a, State b) { return a + b; }
  static auto result(State state, Index) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(state);
    } else {
      return convert_element<T>(state);
    }
  }
};

template <class T>
struct Mean : Sum<T> {
  using typename Sum<T>::State;
  static T result(State state, Index folded) {
    return convert_element<T>(state / static_cast<double>(folded));
  }
};

template <class T>
struct Prod : Sum<T> {
  using typename Sum<T>::State;
  static constexpr State first() { return State(1); }
  static State fold(State a, State b) {
    if constexpr (is_complex_element<T>) {
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    } else {
      return a * b;
    }
  }
};

/// Floats: infinity; others: the largest value.
template <class S>
constexpr S highest() {
  if constexpr (std::is_floating_point_v<S>) {
    return std::numeric_limits<S>::infinity();
  } else {
    return std::numeric_limits<S>::max();
  }
}
template <class S>
constexpr S lowest() {
  if constexpr (std::is_floating_point_v<S>) {
    return -std::numeric_limits<S>::infinity();
  } else {
    return std::numeric_limits<S>::lowest();
  }
}

template <class T>
struct Min {
  using State = Comparable<T>;
  static constexpr State first() { return highest<State>(); }
  static State read(T value) { return static_cast<State>(value); }
  static State fold(State a, State b) {
    if constexpr (std::is_floating_point_v<State>) return (b < a || b != b) && a == a ? b : a;
    return b < a ? b : a;
  }
  static T result(State state, Index) { return T(state); }
};

template <class T>
struct Max : Min<T> {
  using typename Min<T>::State;
  static constexpr State first() { return lowest<State>(); }
  static State fold(State a, State b) {
    if constexpr (std::is_floating_point_v<State>) return (a < b || b != b) && a == a ? b : a;
    return a < b ? b : a;
  }
};

template <class T>
struct Any {
  using State = std::uint8_t;
  static constexpr State first() { return 0; }
  static State read(T value) { return convert_element<bool>(value) ? 1 : 0; }
  static State fold(State a, State b) { return a | b; }
  static auto result(State state, Index) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      return state;
    } else {
      return state != 0;
    }
  }
};

template <class T>
struct All : Any<T> {
  using typename Any<T>::State;
  static constexpr State first() { return 1; }
  static State fold(State a, State b) { return a & b; }
};

template <class Op, class T>
struct Leaves {
  using State = typename Op::State;

  static void start(void* states, Index count) {
    auto* const to = static_cast<State*>(states);
    for (Index i = 0; i < count; ++i) to[i] = Op::first();
  }

  static typename Op::State read(const std::byte* at) { return Op::read(load_element<T>(at)); }

  static void fold(void* state, const std::byte* src, Index count, std::ptrdiff_t stride) {
    State block[lanes];
    for (State& lane : block) lane = Op::first();
    Index i = 0;
    if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
      for (; i + lanes <= count; i += lanes, src += lanes * static_cast<Index>(sizeof(T))) {
        for (Index k = 0; k < lanes; ++k)
          block[k] = Op::fold(block[k], read(src + k * static_cast<Index>(sizeof(T))));
      }
    } else {
      for (; i + lanes <= count; i += lanes, src += lanes * stride) {
        for (Index k = 0; k < lanes; ++k) block[k] = Op::fold(block[k], read(src + k * stride));
      }
    }
    for (Index k = 0; i < count; ++i, ++k, src += stride) block[k] = Op::fold(block[k], read(src));
    for (Index half = lanes / 2; half > 0; half /= 2) {
      for (Index k = 0; k < half; ++k) block[k] = Op::fold(block[k], block[k + half]);
    }
    auto& to = *static_cast<State*>(state);
    to = Op::fold(to, block[0]);
  }

  static void fold_rows(void* states, const std::byte* src, Index count, std::ptrdiff_t stride, Index rows,
                        std::ptrdiff_t row_stride) {
    auto* const to = static_cast<State*>(states);
    Index i = 0;
    if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
      for (; i + lanes <= count; i += lanes) {
        State block[lanes];
        for (Index k = 0; k < lanes; ++k) block[k] = to[i + k];
        const std::byte* row = src + i * stride;
        for (Index r = 0; r < rows; ++r, row += row_stride) {
          for (Index k = 0; k < lanes; ++k)
            block[k] = Op::fold(block[k], read(row + k * static_cast<Index>(sizeof(T))));
        }
        for (Index k = 0; k < lanes; ++k) to[i + k] = block[k];
      }
    }
    for (; i < count; ++i) {
      for (Index r = 0; r < rows; ++r) to[i] = Op::fold(to[i], read(src + i * stride + r * row_stride));
    }
  }

  static void combine(void* states, const void* others, Index count) {
    auto* const to = static_cast<State*>(states);
    const auto* const from = static_cast<const State*>(others);
    for (Index i = 0; i < count; ++i) to[i] = Op::fold(to[i], from[i]);
  }

  static void finish(std::byte* dst, const void* states, Index count, Index folded) {
    const auto* const from = static_cast<const State*>(states);
    for (Index i = 0; i < count; ++i) {
      const auto value = Op::result(from[i], folded);
      store_element(dst + i * static_cast<Index>(sizeof value), value);
    }
  }

  static const ReduceKernel* table() {
    static constexpr ReduceKernel kernel{sizeof(State), start, fold, fold_rows, combine, finish};
    return &kernel;
  }
};

template <class T>
const ReduceKernel* kernel_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return Leaves<Sum<T>, T>::table();
    case Reduction::prod:
      return Leaves<Prod<T>, T>::table();
    case Reduction::any:
      return Leaves<Any<T>, T>::table();
    case Reduction::all:
      return Leaves<All<T>, T>::table();
    case Reduction::mean:
      if constexpr (!std::is_integral_v<T> && !is_complex_element<T>) return Leaves<Mean<T>, T>::table();
      break;
    case Reduction::min:
      if constexpr (!is_complex_element<T>) return Leaves<Min<T>, T>::table();
      break;
    case Reduction::max:
      if constexpr (!is_complex_element<T>) return Leaves<Max<T>, T>::table();
      break;
  }
  return nullptr;
}

template <class... T>
const ReduceKernel* find(TypeList<T...>, Reduction reduction, DType dtype) {
  const ReduceKernel* found = nullptr;
  ((dtype == dtype_of<T> ? static_cast<void>(found = kernel_of<T>(reduction)) : void()), ...);
  return found;
}

}  // namespace

const ReduceKernel* find_reduce_kernel(Reduction reduction, DType dtype) {
  return find(ElementTypes{}, reduction, dtype);
}

}  // namespace HWY_NAMESPACE
}  // namespace tenstride::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenstride::detail {

const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype) {
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX2)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  if (has_avx2) return *N_AVX2::find_reduce_kernel(reduction, dtype);
#endif
  return *HWY_STATIC_DISPATCH(find_reduce_kernel)(reduction, dtype);
}

}  // namespace tenstride::detail
#endif  // HWY_ONCE
