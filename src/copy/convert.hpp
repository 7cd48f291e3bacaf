// SPDX-License-Identifier: Apache-2.0
// What happens to a run of elements on its way: conversion, scale and shift, conjugation.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "copy/kernels.hpp"
#include "tenstride/copy_plan.hpp"

namespace tenstride::copy {

/// Converts dense runs as a plan says. One for each thread: it owns scratch memory.
class RowConverter {
 public:
  /// The longest run of one call, in elements.
  static constexpr std::size_t longest = 512;

  RowConverter(const CopyPlan& plan, const Kernels& kernels);

  /// `count` elements; element i takes the scale and shift number first + i * step.
  void operator()(std::byte* out, const std::byte* in, std::size_t count, std::size_t first,
                  std::size_t step);

  /// The whole conversion past the cache (see Kernels::convert), or nullptr.
  [[nodiscard]] ConvertRow streaming() const { return streaming_; }

 private:
  using ScaleRow = void (*)(std::byte* row, std::size_t count, const double* scale, std::size_t scale_step,
                            const double* shift, std::size_t shift_step);

  ConvertRow streaming_ = nullptr;
  ConvertRow convert_ = nullptr;     // without scale: source to destination
  ConvertRow convert_in_ = nullptr;  // with scale: source to the type of the arithmetic …
  ScaleRow scale_row_ = nullptr;
  void (*scale_floats_)(std::byte* row, std::size_t count, float scale, float shift) = nullptr;
  ConvertRow convert_out_ = nullptr;  // … and on to the destination
  void (*conjugate_)(std::byte* row, std::size_t count) = nullptr;
  const CopyPlan* plan_;
  alignas(64) std::array<std::byte, longest * 16 + spill_bytes> scratch_;
};

}  // namespace tenstride::copy
