// SPDX-License-Identifier: Apache-2.0
// The kernels of comparisons and of the masks they give: short loops over dense runs, one table of them per
// instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tenstride/dtype.hpp"
#include "tenstride/export.hpp"
#include "tenstride/index.hpp"

namespace tenstride::copy {

enum class Comparison : unsigned char { eq, ne, lt, le, gt, ge };

/// Dense to dense, one byte (0 or 1) for each pair of elements.
using CompareRow = void (*)(std::byte* out, const std::byte* a, const std::byte* b, Index count);

/// Whether all (any) of `count` dense elements are non-zero.
using TruthRow = bool (*)(const std::byte* in, Index count);

/// out[i] = value where mask[i] is not 0. Others may be written as they are. Items of 1 << log2 bytes.
using FillSet = void (*)(std::byte* out, const std::byte* mask, Index count, const std::byte* value);

struct CompareKernels {
  const char* name;
  /// A faster loop for a type, or nullptr.
  CompareRow (*compare)(Comparison comparison, DType type);
  /// By the bits: -0.0 is zero, NaN is not. Nullptr where there is no faster loop.
  TruthRow (*all)(DType type);
  TruthRow (*any)(DType type);
  std::array<FillSet, 5> fill_set;
};

/// The definitions. bool and the small floats have no loop of their own to compare by (nullptr): they are
/// compared as uint8 and float32. Every type but the complex ones has its truths.
const CompareKernels& portable_compare_kernels();

/// The table that goes with the `Kernels` of this name. Precondition for using it: the processor has their
/// instruction set.
const CompareKernels& compare_kernels(std::string_view name);

/// The table that goes with `kernels()`.
const CompareKernels& compare_kernels();

/// The fastest loop there is. Pre: the portable table has one.
TENSTRIDE_API CompareRow compare_row(Comparison comparison, DType type);
TruthRow all_row(DType type);
TruthRow any_row(DType type);

}  // namespace tenstride::copy
