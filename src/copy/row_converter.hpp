// SPDX-License-Identifier: Apache-2.0
// What happens to a run of elements on its way: conversion, scale and shift, conjugation.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "copy/kernels/kernels.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::copy {

/// Converts dense runs. One for each thread: it owns scratch memory.
class RowConverter {
 public:
  /// The longest run of one call, in elements.
  static constexpr std::size_t longest = 512;

  /// `reverses_numbers`: scale and shift number i is the i-th from the end.
  RowConverter(const Conversion& conversion, const Kernels& kernels, bool reverses_numbers = false);

  /// Converts `count` elements; element i takes the scale and shift number first + i * step, where `step` is
  /// 0 or 1. Pre, with streaming stores: streams(), and `out` is the start of a cache line.
  void operator()(std::byte* out, const std::byte* in, std::size_t count, std::size_t first, std::size_t step,
                  Stores stores = Stores::ordinary);

  /// Whether results can be written by streaming stores: one loop makes each of them and writes it once.
  [[nodiscard]] bool streams() const {
    return conjugate_ == nullptr && negate_source_ == nullptr && negate_ == nullptr &&
           (is_one_loop_ || convert_ != nullptr);
  }

  /// What a converting kernel (`ConvertingKernels`) has to compute besides the conversion.
  [[nodiscard]] Arithmetic arithmetic() const { return is_one_loop_ ? Arithmetic::scaled : Arithmetic::none; }
  /// Whether a converting kernel may do all of it: it computes in float, with finite scales and shifts.
  [[nodiscard]] bool is_plain() const;
  /// Scale number `at` and shift number `at`. Pre: is_plain(), and arithmetic() is `scaled`.
  [[nodiscard]] float scale_number(std::size_t at) const { return float_scale_[at % period_]; }
  [[nodiscard]] float shift_number(std::size_t at) const { return float_shift_[at % period_]; }

 private:
  using ScaleInPlace = void (*)(std::byte* row, std::size_t count, const double* scale, std::size_t step,
                                const double* shift);

  void choose_signs();
  void choose_scale(const Kernels& kernels);
  void repeat_numbers(bool reverses);
  /// Scales and shifts by the numbers from `first` on. Where one loop does all, it converts from the source's
  /// to the destination's type, too; otherwise it works in place, in the type of the arithmetic.
  void scale(std::byte* out, const std::byte* in, std::size_t count, std::size_t first, std::size_t step,
             Stores stores) const;

  ConvertRow convert_ = nullptr;     // without scale: to the destination's type
  ConvertRow convert_in_ = nullptr;  // with scale: to the type of the arithmetic
  std::size_t middle_size_ = 0;
  ScaleInPlace scale_in_place_ = nullptr;
  /// For arithmetic in float: the loops with one scale for all elements, and with one for each.
  ScaleRow scale_by_one_ = nullptr;
  ScaleRow scale_by_each_ = nullptr;
  bool is_one_loop_ = false;
  ConvertRow convert_out_ = nullptr;  // with scale: from the type of the arithmetic
  using ChangeSigns = void (*)(std::byte* row, std::size_t count);
  ChangeSigns negate_source_ = nullptr;  // before all else, in a copy of the row
  ChangeSigns conjugate_ = nullptr;      // after all else
  ChangeSigns negate_ = nullptr;
  const Conversion* conversion_;
  /// The number of scales and shifts after which they repeat. Where it is less than `longest`, the vectors
  /// have `longest` more numbers, so that those of a run lie one after another wherever the run begins.
  std::size_t period_ = 1;
  std::vector<double> scale_;
  std::vector<double> shift_;
  std::vector<float> float_scale_;
  std::vector<float> float_shift_;
  alignas(64) std::array<std::byte, longest * 16 + spill_bytes> scratch_;
  alignas(64) std::array<std::byte, longest * 16 + spill_bytes> negated_;
};

}  // namespace tenstride::copy
