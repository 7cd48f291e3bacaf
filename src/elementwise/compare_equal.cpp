// SPDX-License-Identifier: Apache-2.0
// Comparisons of two whole tensors, equal and allclose, and the elements that are close.
#include <atomic>
#include <cmath>
#include <complex>

#include "elementwise/arithmetic_engine.hpp"
#include "elementwise/compare_parts.hpp"
#include "elementwise/dense_runs.hpp"
#include "memory/watch.hpp"
#include "tensor/require_memory.hpp"
#include "tenstride/base/default_dtype.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride {
namespace {

/// Returns whether |a-b| <= atol + rtol*|b| or a == b for all elements. An infinity is close to itself alone.
template <class T>
bool all_close(const std::byte* a, const std::byte* b, Index count, double rtol, double atol) {
  constexpr auto item = static_cast<Index>(sizeof(T));
  for (Index i = 0; i < count; ++i) {
    const T x = load_element<T>(a + i * item);
    const T y = load_element<T>(b + i * item);
    if (x == y) continue;
    const double difference = std::abs(x - y);
    if (!std::isfinite(difference) || !(difference <= atol + std::abs(rtol * y))) return false;
  }
  return true;
}

/// Returns whether test(run of a, run of b, count) holds for all runs. Precondition: equal shapes, same
/// dtype, not meta.
template <class Test>
bool all_runs(const Tensor& a, const Layout& layout_a, const Tensor& b, const Layout& layout_b, DType type,
              const Test& test) {
  const detail::JointLoops<2> loops({layout_a, layout_b});
  std::atomic<bool> holds_so_far = true;
  parallel_for(0, loops.count(), detail::compare_grain, [&](Index from, Index to) {
    detail::BlockReader read_a(a, a.dtype(), type);
    detail::BlockReader read_b(b, b.dtype(), type);
    loops(from, to, detail::BlockReader::longest, [&](const auto& at, const auto& steps, Index count) {
      if (test(read_a(at[0], steps[0], count), read_b(at[1], steps[1], count), count)) {
        return holds_so_far.load(std::memory_order_relaxed);
      }
      holds_so_far.store(false, std::memory_order_relaxed);
      return false;
    });
  });
  return holds_so_far;
}

/// Refuses what isclose and allclose do not take.
void require_close(std::string_view operation, const Tensor& a, const Tensor& b, double rtol, double atol) {
  detail::require_one_device(operation, a, b);
  if (a.dtype() != b.dtype()) {
    throw RuntimeError(detail::message(operation, ": both tensors must have one dtype, not ", name(a.dtype()),
                                       " and ", name(b.dtype()), "; convert one with .to(dtype)"));
  }
  if (!(rtol >= 0) || !(atol >= 0)) {
    throw RuntimeError(detail::message(operation, ": rtol (", Scalar(rtol).to_string(), ") and atol (",
                                       Scalar(atol).to_string(), ") must not be negative"));
  }
}

}  // namespace

bool Tensor::equal(const Tensor& other) const {
  detail::require_one_device("equal", *this, other);
  if (shape() != other.shape()) return false;
  detail::require_memory(*this, "equal");
  if (dtype_ != other.dtype_) return eq(*this, other).all().item<bool>();
  const DType type = detail::worked_in(dtype_);
  const elementwise::CompareRow row = elementwise::compare_row(elementwise::Comparison::eq, type);
  const elementwise::TruthRow all_set = elementwise::all_row(DType::bool_);
  return all_runs(*this, layout_, other, other.layout_, type,
                  [row, all_set](const std::byte* a, const std::byte* b, Index count) {
                    std::array<std::byte, detail::BlockReader::longest> answers;
                    row(answers.data(), a, b, count);
                    return all_set(answers.data(), count);
                  });
}

bool Tensor::allclose(const Tensor& other, double rtol, double atol) const {
  require_close("allclose", *this, other, rtol, atol);
  const Dims both = broadcast_shapes(shape(), other.shape());
  detail::require_memory(*this, "allclose");
  const bool complex = is_complex();
  return all_runs(*this, tenstride::expand(layout_, both), other, tenstride::expand(other.layout_, both),
                  complex ? DType::complex128 : DType::float64,
                  [=](const std::byte* a, const std::byte* b, Index count) {
                    if (complex) return all_close<std::complex<double>>(a, b, count, rtol, atol);
                    return all_close<double>(a, b, count, rtol, atol);
                  });
}

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, EqualNan equal_nan,
               Caller caller) {
  const detail::OperationScope scope("isclose", caller);
  require_close("isclose", a, b, rtol, atol);
  const bool is_whole = !a.is_floating_point() && !a.is_complex();
  Tensor close = eq(a, b);
  if (equal_nan == EqualNan::yes && !is_whole) bitwise_or_(close, bitwise_and(isnan(a), isnan(b)));
  if (rtol == 0 && atol == 0) return close;
  const Tensor first = a.dtype() == DType::bool_ ? a.to(default_dtype()) : a;
  const Tensor second = is_whole ? b.to(default_dtype()) : b;
  const Tensor difference = abs(sub(first, second));
  const Tensor allowed = add(abs(mul(second, rtol)), atol);
  bitwise_or_(close, bitwise_and(isfinite(difference), le(difference, allowed)));
  return close;
}

}  // namespace tenstride
