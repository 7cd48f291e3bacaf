// SPDX-License-Identifier: Apache-2.0
// Comparisons of two whole tensors: equal and allclose.
#include <atomic>
#include <cmath>
#include <complex>

#include "elementwise/arithmetic_engine.hpp"
#include "elementwise/compare_parts.hpp"
#include "elementwise/dense_runs.hpp"
#include "tensor/require_memory.hpp"
#include "tenstride/parallel.hpp"

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

}  // namespace

bool Tensor::equal(const Tensor& other) const {
  detail::require_one_device("equal", *this, other);
  if (shape() != other.shape()) return false;
  detail::require_memory(*this, "equal");
  if (dtype_ != other.dtype_) return eq(*this, other).all().item<bool>();
  const DType type = detail::worked_in(dtype_);
  const copy::CompareRow row = copy::compare_row(copy::Comparison::eq, type);
  const copy::TruthRow all_set = copy::all_row(DType::bool_);
  return all_runs(*this, layout_, other, other.layout_, type,
                  [row, all_set](const std::byte* a, const std::byte* b, Index count) {
                    std::array<std::byte, detail::BlockReader::longest> answers;
                    row(answers.data(), a, b, count);
                    return all_set(answers.data(), count);
                  });
}

bool Tensor::allclose(const Tensor& other, double rtol, double atol) const {
  detail::require_one_device("allclose", *this, other);
  if (dtype_ != other.dtype_) {
    throw RuntimeError(detail::message("allclose: both tensors must have one dtype, not ",
                                       tenstride::name(dtype_), " and ", tenstride::name(other.dtype_),
                                       "; convert one with .to(dtype)"));
  }
  if (!(rtol >= 0) || !(atol >= 0)) {
    throw RuntimeError(detail::message("allclose: rtol (", Scalar(rtol).to_string(), ") and atol (",
                                       Scalar(atol).to_string(), ") must not be negative"));
  }
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

}  // namespace tenstride
