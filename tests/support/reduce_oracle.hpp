// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "support/slow.hpp"
#include "tenstride/base/element.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/reduce/reduce.hpp"
#include "tenstride/tensor/factory.hpp"

/// Reductions by definition: one element after the other. Complex numbers in double are enough for the values
/// that tests use.
namespace tenstride::testing {

inline constexpr Reduction all_reductions[] = {Reduction::sum, Reduction::mean, Reduction::prod,
                                               Reduction::min, Reduction::max,  Reduction::any,
                                               Reduction::all};

/// Small numbers, of both signs where the type has them; for products ones, with a few twos.
inline Tensor numbers(Index count, DType dtype, Reduction reduction) {
  const bool is_product = reduction == Reduction::prod;
  const bool is_signed = dtype != DType::bool_ && dtype != DType::uint8 && dtype != DType::uint16 &&
                         dtype != DType::uint32 && dtype != DType::uint64;
  Tensor values = empty({count}, {.dtype = DType::float64});
  for (Index i = 0; i < count; ++i) {
    const Index pick = i * 7 % 11;
    double value = is_product ? (i % (count / 20 + 3) == 1 ? 2.0 : 1.0) : static_cast<double>(pick % 5);
    if (is_signed && pick % 3 == 0) value = -value;
    store_element(values.mutable_storage_data() + i * 8, value);
  }
  return values.to(dtype);
}

/// Every set of axes of a rank.
inline std::vector<Dims> all_axes(std::size_t rank) {
  std::vector<Dims> result;
  for (std::size_t bits = 0; bits < (std::size_t{1} << rank); ++bits) {
    Dims axes;
    for (std::size_t d = 0; d < rank; ++d) {
      if ((bits >> d & 1U) != 0) axes.push_back(static_cast<Index>(d));
    }
    result.push_back(axes);
  }
  return result;
}

inline bool is_offered(Reduction reduction, DType dtype) {
  try {
    reduced_dtype(reduction, dtype);
  } catch (const RuntimeError&) {
    return false;
  }
  return true;
}

inline std::complex<double> slow_start(Reduction reduction) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (reduction == Reduction::min) return infinity;
  if (reduction == Reduction::max) return -infinity;
  return reduction == Reduction::prod || reduction == Reduction::all ? 1.0 : 0.0;
}

inline std::complex<double> slow_join(Reduction reduction, std::complex<double> a, std::complex<double> b) {
  switch (reduction) {
    case Reduction::prod:
      return a * b;
    case Reduction::min:
      return std::min(a.real(), b.real());
    case Reduction::max:
      return std::max(a.real(), b.real());
    case Reduction::any:
      return b != 0.0 ? 1.0 : a;
    case Reduction::all:
      return b == 0.0 ? 0.0 : a;
    case Reduction::sum:
    case Reduction::mean:
      break;
  }
  return a + b;
}

/// What `reduce_axes` is to give, for each of the reductions, by one walk over all elements.
inline Tensor slow_reduce(const Tensor& x, const Dims& axes, Reduction reduction) {
  Dims steps = Dims::filled(x.shape().size(), 0);  // of the results; 0 for the axes that are reduced
  Dims shape;
  Index results = 1;
  for (std::size_t d = x.shape().size(); d-- > 0;) {
    if (std::find(axes.begin(), axes.end(), static_cast<Index>(d)) != axes.end()) continue;
    shape.insert(0, x.shape()[d]);
    steps[d] = results;
    results *= x.shape()[d];
  }
  const auto values = x.to(DType::complex128).to_vector<std::complex<double>>();
  std::vector<std::complex<double>> accumulators(detail::at(results), slow_start(reduction));
  std::size_t n = 0;
  for_each_index(x.shape(), [&](const Dims& index) {
    Index place = 0;
    for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * steps[d];
    accumulators[detail::at(place)] = slow_join(reduction, accumulators[detail::at(place)], values[n++]);
  });
  if (reduction == Reduction::mean) {
    for (std::complex<double>& value : accumulators)
      value /= static_cast<double>(x.numel() / std::max<Index>(results, 1));
  }
  Tensor result = empty(shape, {.dtype = reduced_dtype(reduction, x.dtype())});
  Tensor flat = result.view({-1});
  constexpr DType wide = DType::complex128;  // converted as elements are, which refuses none
  for (Index i = 0; i < results; ++i)
    flat.select(0, i).copy_(full({}, accumulators[detail::at(i)], {.dtype = wide}));
  return result;
}

/// Holds `reduce_axes` against the definition, bit for bit, with one thread and with two.
inline void expect_definition(const Tensor& x, const Dims& axes, Reduction reduction) {
  const Tensor expected = slow_reduce(x, axes, reduction);
  for (const int threads : {1, 2}) {
    const ThreadScope scope(threads);
    ASSERT_TRUE(reduce_axes(x, axes, reduction).equal(expected))
        << name(reduction) << " of " << name(x.dtype()) << ' ' << to_string(x.layout()) << " over "
        << to_string(axes) << ", threads " << threads;
  }
}

}  // namespace tenstride::testing
