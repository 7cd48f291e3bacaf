// SPDX-License-Identifier: Apache-2.0
// The kernels of reductions: plain loops over blocks of 16 elements, which the compiler turns into vector
// instructions; where it does not (half numbers, NaN), Highway's. This file is compiled once for each
// instruction set, in a namespace of its own; the blocks are the same in each, and so are the results.

#define HWY_IS_DEBUG_BUILD 0
// Memory is the limit: wider vectors than AVX2's bring nothing here.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduce_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "reduce_kernels.hpp"
#include "tenstride/element.hpp"

HWY_BEFORE_NAMESPACE();
namespace tenstride::detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

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
  static constexpr bool takes_less = true;
  static constexpr State first() { return highest<State>(); }
  static State read(T value) { return static_cast<State>(value); }
  static State fold(State a, State b) {
    // Without a branch, so that it becomes vector instructions.
    if constexpr (std::is_floating_point_v<State>) return (int{b < a} | int{b != b}) & int{a == a} ? b : a;
    return b < a ? b : a;
  }
  static T result(State state, Index) { return T(state); }
};

template <class T>
struct Max : Min<T> {
  using typename Min<T>::State;
  static constexpr bool takes_less = false;
  static constexpr State first() { return lowest<State>(); }
  static State fold(State a, State b) {
    if constexpr (std::is_floating_point_v<State>) return (int{a < b} | int{b != b}) & int{a == a} ? b : a;
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

/// Sums of so many small integers fit in twice as many bits.
constexpr Index narrow_sums = 256;
template <class T>
using Narrow =
    std::conditional_t<sizeof(T) == 1, std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>;

template <class Op, class T>
struct Leaves {
  using State = typename Op::State;
  static constexpr bool sums_narrow = std::is_same_v<Op, Sum<T>> && std::is_integral_v<T> && sizeof(T) <= 2;
  static constexpr bool compares_floats = [] {
    if constexpr (requires { Op::takes_less; }) return std::is_floating_point_v<State>;
    return false;
  }();
  /// Accumulators kept in registers while rows are folded into them: 64 bytes at least.
  static constexpr Index row_lanes = std::max(lanes, static_cast<Index>(64 / sizeof(State)));

  static void start(void* states, Index count) {
    auto* const to = static_cast<State*>(states);
    for (Index i = 0; i < count; ++i) to[i] = Op::first();
  }

  static typename Op::State read(const std::byte* at) { return Op::read(load_element<T>(at)); }

  template <Index Count>
  static void widen_block(float* values, const std::byte* src) {
#if HWY_TARGET == HWY_SCALAR
    for (Index k = 0; k < Count; ++k) values[k] = static_cast<float>(load_element<T>(src + k * 2));
#else
    std::uint16_t bits[static_cast<std::size_t>(Count)];
    std::memcpy(bits, src, sizeof bits);
    const hn::CappedTag<float, 8> to;
    const hn::Rebind<hwy::float16_t, decltype(to)> from;
    const hn::Rebind<std::uint16_t, decltype(to)> raw;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Count); k += hn::Lanes(to)) {
      hn::StoreU(hn::PromoteTo(to, hn::BitCast(from, hn::LoadU(raw, bits + k))), to, values + k);
    }
#endif
  }

  /// Folds dense elements into accumulators, one each.
  template <Index Count>
  static void fold_block(State* block, const std::byte* src) {
    if constexpr (compares_floats) {
      State values[static_cast<std::size_t>(Count)];
      if constexpr (std::is_same_v<T, float16>) {
        widen_block<Count>(values, src);
      } else {
        for (Index k = 0; k < Count; ++k) values[k] = read(src + k * static_cast<Index>(sizeof(T)));
      }
      const hn::CappedTag<State, 32 / sizeof(State)> d;
      for (std::size_t k = 0; k < static_cast<std::size_t>(Count); k += hn::Lanes(d)) {
        const auto a = hn::LoadU(d, block + k);
        const auto b = hn::LoadU(d, values + k);
        const auto better = Op::takes_less ? hn::Lt(b, a) : hn::Lt(a, b);
        // The first NaN stays.
        const auto takes = hn::AndNot(hn::IsNaN(a), hn::Or(better, hn::IsNaN(b)));
        hn::StoreU(hn::IfThenElse(takes, b, a), d, block + k);
      }
    } else if constexpr (std::is_same_v<T, float16>) {
      float values[static_cast<std::size_t>(Count)];
      widen_block<Count>(values, src);
      for (Index k = 0; k < Count; ++k) {
        if constexpr (std::is_same_v<State, std::uint8_t>) {
          block[k] = Op::fold(block[k], values[k] != 0 ? 1 : 0);
        } else {
          block[k] = Op::fold(block[k], static_cast<State>(values[k]));
        }
      }
    } else {
      for (Index k = 0; k < Count; ++k)
        block[k] = Op::fold(block[k], read(src + k * static_cast<Index>(sizeof(T))));
    }
  }

  /// Sums of `rows` blocks that lie `step` bytes apart.
  static void add_narrow(State* block, const std::byte* src, Index rows, std::ptrdiff_t step) {
    while (rows > 0) {
      const Index now = std::min(rows, narrow_sums);
      Narrow<T> sums[lanes] = {};
      for (Index r = 0; r < now; ++r, src += step) {
        T values[lanes];
        std::memcpy(values, src, sizeof values);
        for (Index k = 0; k < lanes; ++k) sums[k] = static_cast<Narrow<T>>(sums[k] + values[k]);
      }
      for (Index k = 0; k < lanes; ++k) block[k] += static_cast<State>(sums[k]);
      rows -= now;
    }
  }

  static void fold(void* state, const std::byte* src, Index count, std::ptrdiff_t stride) {
    State block[lanes];
    for (State& lane : block) lane = Op::first();
    Index i = 0;
    if constexpr (sums_narrow) {
      if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
        const Index blocks = count / lanes;
        add_narrow(block, src, blocks, lanes * stride);
        i = blocks * lanes;
        src += i * stride;
      }
    }
    if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
      for (; i + lanes <= count; i += lanes, src += lanes * static_cast<Index>(sizeof(T))) {
        fold_block<lanes>(block, src);
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
      if constexpr (sums_narrow) {
        for (; i + lanes <= count; i += lanes) add_narrow(to + i, src + i * stride, rows, row_stride);
      }
      for (; i + row_lanes <= count; i += row_lanes) {
        State block[static_cast<std::size_t>(row_lanes)];
        for (Index k = 0; k < row_lanes; ++k) block[k] = to[i + k];
        const std::byte* row = src + i * stride;
        for (Index r = 0; r < rows; ++r, row += row_stride) fold_block<row_lanes>(block, row);
        for (Index k = 0; k < row_lanes; ++k) to[i + k] = block[k];
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

  static void gather(void* states, Index count, Index group, Index inner) {
    auto* const at = static_cast<State*>(states);
    if (group == 2 && inner == 1) {
      Index o = 0;
      for (; o + lanes <= count; o += lanes) {
        State block[lanes];
        for (Index k = 0; k < lanes; ++k) block[k] = Op::fold(at[2 * (o + k)], at[2 * (o + k) + 1]);
        for (Index k = 0; k < lanes; ++k) at[o + k] = block[k];
      }
      for (; o < count; ++o) at[o] = Op::fold(at[2 * o], at[2 * o + 1]);
      return;
    }
    if (group < lanes && inner < lanes) {
      for (Index o = 0; o < count; ++o) {
        const State* const from = at + o * group * inner;
        for (Index i = 0; i < inner; ++i) {
          State sum = from[i];
          for (Index j = 1; j < group; ++j) sum = Op::fold(sum, from[j * inner + i]);
          at[o * inner + i] = sum;
        }
      }
      return;
    }
    for (Index o = 0; o < count; ++o) {
      State* const from = at + o * group * inner;
      for (Index apart = 1; apart < group; apart *= 2) {
        for (Index j = 0; j + apart < group; j += 2 * apart) {
          combine(from + j * inner, from + (j + apart) * inner, inner);
        }
      }
      for (Index i = 0; i < inner; ++i) at[o * inner + i] = from[i];
    }
  }

  static void finish(std::byte* dst, const void* states, Index count, Index folded) {
    const auto* const from = static_cast<const State*>(states);
    for (Index i = 0; i < count; ++i) {
      const auto value = Op::result(from[i], folded);
      store_element(dst + i * static_cast<Index>(sizeof value), value);
    }
  }

  static const ReduceKernel* table() {
    static constexpr ReduceKernel kernel{sizeof(State), start, fold, fold_rows, combine, gather, finish};
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
