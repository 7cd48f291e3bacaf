// SPDX-License-Identifier: Apache-2.0
// Drawing elements into an existing tensor: uniform_, normal_, random_.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/scalar_checked.hpp"
#include "memory/watch.hpp"
#include "random/parts.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/copy/copy.hpp"

namespace tenstride {
namespace {

using detail::message;
using detail::with_shared;

/// Returns the axes from the largest stride to the smallest: the order of the elements in memory.
Dims memory_order(const Tensor& self) {
  Dims axes = Dims::filled(self.shape().size(), 0);
  std::iota(axes.begin(), axes.end(), Index{0});
  std::stable_sort(axes.begin(), axes.end(), [&](Index left, Index right) {
    return self.strides()[static_cast<std::size_t>(left)] > self.strides()[static_cast<std::size_t>(right)];
  });
  return axes;
}

/// Calls fill(dense) with a dense tensor: the tensor itself where it is contiguous, otherwise a buffer that
/// is then copied into it. Nothing is drawn on meta.
template <typename Fill>
Tensor& fill_in_order(Tensor& self, std::string_view operation, const Fill& fill) {
  detail::require_distinct_elements(operation, self);
  if (!self.has_memory() || self.numel() == 0) return self;
  if (self.is_contiguous() && self.is_resolved()) {
    fill(self);
    return self;
  }
  Tensor target = self.permute(memory_order(self));
  Tensor drawn = empty(target.shape(), {.dtype = self.dtype()});
  fill(drawn);
  const detail::ReasonScope reason([] { return "drawn in the order in which the elements lie in memory"; });
  copy_elements(target, drawn);
  return self;
}

template <typename T>
void require_bounds(double from, double to, DType dtype) {
  const auto is_inside = [](double bound) { return std::abs(bound) <= detail::highest_of<T>(); };
  if (!is_inside(from) || !is_inside(to)) {
    throw RuntimeError(message("uniform_: from ", std::to_string(from), " and to ", std::to_string(to),
                               " must lie in the range of ", name(dtype)));
  }
  if (from > to || to - from > detail::highest_of<T>()) {
    throw RuntimeError(message("uniform_: from ", std::to_string(from), " must be at most to ",
                               std::to_string(to), ", and their distance in the range of ", name(dtype)));
  }
}

/// Calls `f` with a value of the type of the numbers that the tensor holds.
template <typename F>
void visit_component(DType dtype, const F& f) {
  switch (component_type(dtype)) {
    case DType::float64:
      return f(double{});
    case DType::float16:
      return f(float16{});
    case DType::bfloat16:
      return f(bfloat16{});
    default:
      return f(float{});
  }
}

/// Scales numbers from [0, 1) to [from, to). The bounds, their difference and the result are rounded to T, as
/// in PyTorch.
template <typename T>
void stretch(T* first, Index count, double from, double to) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto low = static_cast<Wide>(convert_element<T>(from));
  const auto high = static_cast<Wide>(convert_element<T>(to));
  const auto width = static_cast<Wide>(static_cast<T>(high - low));
  for (Index i = 0; i < count; ++i) {
    first[i] = static_cast<T>(std::fma(static_cast<Wide>(first[i]), width, low));
  }
}

/// Returns the largest number that `random_` draws by default; the smallest is 0.
template <typename T>
constexpr Index last_whole() {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return std::numeric_limits<Index>::max();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<Index>(std::numeric_limits<T>::max());
  } else {
    return Index{1} << detail::whole_digits<T>();
  }
}

/// Whether 64 random bits are drawn for a number of the type: for float64 and int64. For all others 32 are.
template <typename T>
constexpr bool draws_64_bits = std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

template <typename T>
void fill_whole(T* first, Index count, Generator& generator) {
  constexpr std::uint64_t choices = static_cast<std::uint64_t>(last_whole<T>()) + 1;
  for (Index i = 0; i < count; ++i) {
    const std::uint64_t bits = draws_64_bits<T> ? generator.random64() : generator.random();
    first[i] = convert_element<T>(static_cast<Index>(bits % choices));
  }
}

[[noreturn]] void throw_whole(DType dtype) {
  detail::throw_dtype("random_", dtype, "bool, an integer type, float16, bfloat16, float32 or float64");
}

/// Whether `random_` without bounds draws from 0 to the largest number of the type. For the wide unsigned
/// types PyTorch has only the form with a range.
template <typename T>
constexpr bool has_whole_range = !std::is_same_v<T, std::uint16_t> && !std::is_same_v<T, std::uint32_t> &&
                                 !std::is_same_v<T, std::uint64_t>;

/// Whether the type takes any number of 64 bits, rounded.
template <typename T>
constexpr bool takes_all_bits = std::is_same_v<T, std::int64_t> || std::is_same_v<T, double> ||
                                std::is_same_v<T, float> || std::is_same_v<T, bfloat16>;

template <typename T>
void fill_bits(T* first, Index count, Generator& generator) {
  for (Index i = 0; i < count; ++i) {
    first[i] = convert_element<T>(static_cast<Index>(generator.random64()));
  }
}

/// Draws numbers from [from, from + range).
template <typename T>
Tensor& draw_range(Tensor& self, Index from, std::uint64_t range, Generator& generator) {
  return fill_in_order(self, "random_", [&](Tensor& dense) {
    detail::fill_integers(detail::elements<T>(dense), dense.numel(), from, range, generator);
  });
}

}  // namespace

Tensor& uniform_(Tensor& self, double from, double to, Generator& generator, Caller caller) {
  const detail::OperationScope scope("uniform_", caller);
  detail::require_real_or_complex("uniform_", self.dtype());
  visit_component(self.dtype(),
                  [&](auto number) { require_bounds<decltype(number)>(from, to, self.dtype()); });
  return fill_in_order(self, "uniform_", [&](Tensor& dense) {
    detail::visit_reals(dense, [&](auto* first, Index count) {
      detail::draw_uniforms(first, count, generator);
      if (from != 0 || to != 1) stretch(first, count, from, to);
    });
  });
}
Tensor& uniform_(Tensor& self, double from, double to, Caller caller) {
  return with_shared(
      [&](Generator& generator) -> Tensor& { return uniform_(self, from, to, generator, caller); });
}

Tensor& normal_(Tensor& self, double mean, double std, Generator& generator, Caller caller) {
  const detail::OperationScope scope("normal_", caller);
  if (!(std >= 0)) throw RuntimeError(message("normal_: std ", std::to_string(std), " must be at least 0"));
  detail::require_real_or_complex("normal_", self.dtype());
  const detail::Normal normal{mean, self.is_complex() ? std / std::sqrt(2.0) : std};
  const bool is_row_major = self.is_contiguous();
  return fill_in_order(self, "normal_", [&](Tensor& dense) {
    detail::visit_reals(dense, [&](auto* first, Index count) {
      using enum detail::NormalDraw;
      detail::fill_normal(first, count, normal, count >= 16 && is_row_major ? blocks : single, generator);
    });
  });
}
Tensor& normal_(Tensor& self, double mean, double std, Caller caller) {
  return with_shared(
      [&](Generator& generator) -> Tensor& { return normal_(self, mean, std, generator, caller); });
}

Tensor& random_(Tensor& self, Generator& generator, Caller caller) {
  const detail::OperationScope scope("random_", caller);
  return visit(self.dtype(), [&](auto type) -> Tensor& {
    using T = typename decltype(type)::type;
    if constexpr (detail::whole_digits<T>() == 0 || !has_whole_range<T>) {
      throw_whole(self.dtype());
    } else {
      return fill_in_order(self, "random_", [&](Tensor& dense) {
        fill_whole(detail::elements<T>(dense), dense.numel(), generator);
      });
    }
  });
}
Tensor& random_(Tensor& self, Caller caller) {
  return with_shared([&](Generator& generator) -> Tensor& { return random_(self, generator, caller); });
}

Tensor& random_(Tensor& self, Index low, std::optional<Index> high, Generator& generator, Caller caller) {
  const detail::OperationScope scope("random_", caller);
  if (high && low >= *high) {
    throw RuntimeError(message("random_: low ", low, " must be less than high ", *high));
  }
  return visit(self.dtype(), [&](auto type) -> Tensor& {
    using T = typename decltype(type)::type;
    if constexpr (detail::whole_digits<T>() == 0) {
      throw_whole(self.dtype());
    } else if (constexpr Index lowest = std::numeric_limits<Index>::min(); low == lowest && !high) {
      if constexpr (takes_all_bits<T>) {
        return fill_in_order(self, "random_", [&](Tensor& dense) {
          fill_bits(detail::elements<T>(dense), dense.numel(), generator);
        });
      } else {
        detail::throw_dtype("random_", self.dtype(),
                            "int64, bfloat16, float32 or float64 for all of 64 bits");
      }
    } else {
      const Index from = detail::inward<T>(low, 1);
      const Index last = high ? detail::inward<T>(*high, -1) - 1 : last_whole<T>();
      if (from > last) {
        throw RuntimeError(
            message("random_: ", name(self.dtype()), " has no number from ", low, " to ", last));
      }
      const std::uint64_t range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(from) + 1;
      detail::require_range<T>("random_", from, last == std::numeric_limits<Index>::max() ? last : last + 1,
                               self.dtype());
      return draw_range<T>(self, from, range, generator);
    }
  });
}
Tensor& random_(Tensor& self, Index low, std::optional<Index> high, Caller caller) {
  return with_shared(
      [&](Generator& generator) -> Tensor& { return random_(self, low, high, generator, caller); });
}

}  // namespace tenstride
