// SPDX-License-Identifier: Apache-2.0
#include "reduce/products.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "tenstride/parallel/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Whether one of `count` numbers is NaN. The compiler makes vectors of it.
template <typename T>
bool has_nan(const T* numbers, Index count) {
  unsigned nans = 0;
  for (Index i = 0; i < count; ++i) nans |= numbers[i] != numbers[i] ? 1U : 0U;
  return nans != 0;
}

/// The product of one result's elements.
template <typename T>
T product_in_order(const ReduceProblem& problem, const std::byte* src, Index result) {
  using Wide = std::conditional_t<is_complex_element<T>, std::complex<double>, double>;
  const Layout& reduced = problem.reduced;
  const Index first = position(problem.results, unravel(result, problem.results.shape));
  const Index count = numel(reduced);
  Wide product = 1;
  for (Index k = 0; k < count && product == product; ++k) {
    const Index at = first + position(reduced, unravel(k, reduced.shape));
    product *= convert_element<Wide>(load_element<T>(src + at * static_cast<Index>(sizeof(T))));
  }
  return convert_element<T>(product);
}

template <typename T>
void recompute(const ReduceProblem& problem, T* products, const std::byte* src) {
  constexpr Index block = 256;
  constexpr Index grain = (Index{1} << 14) / block;
  const Index results = numel(problem.results);
  parallel_for(0, ceil_divide(results, block), grain, [&](Index from, Index to) {
    for (Index first = from * block; first < std::min(to * block, results); first += block) {
      const Index last = std::min(first + block, results);
      if (!has_nan(products + first, last - first)) continue;
      for (Index r = first; r < last; ++r) {
        if (products[r] != products[r]) products[r] = product_in_order<T>(problem, src, r);
      }
    }
  });
}

}  // namespace

void recompute_products(const ReducePlan& plan, Tensor& products, const std::byte* src) {
  visit(plan.problem.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (!std::is_integral_v<T>) {
      recompute(plan.problem, reinterpret_cast<T*>(products.mutable_storage_data()), src);
    }
  });
}

}  // namespace tenstride::detail
