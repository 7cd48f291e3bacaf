// SPDX-License-Identifier: Apache-2.0
// The kernels of comparisons and of the masks they give: short loops over dense runs, one table of them per
// instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tenstride/base/dtype.hpp"
#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::elementwise {

enum class Comparison : unsigned char { eq, ne, lt, le, gt, ge };

/// Dense to dense, one byte (0 or 1) for each pair of elements.
using CompareRow = void (*)(std::byte* out, const std::byte* a, const std::byte* b, Index count);

/// Whether all (any) of `count` dense elements are non-zero.
using TruthRow = bool (*)(const std::byte* in, Index count);

/// out[i] = value where mask[i] is not 0, for items of 1 << log2 bytes. The other items of `out` keep their
/// values, but may be written.
using FillSet = void (*)(std::byte* out, const std::byte* mask, Index count, const std::byte* value);

struct CompareKernels {
  const char* name;
  /// Returns a loop for a comparison and a type, or nullptr. Some tables compare float16 and bfloat16.
  CompareRow (*compare)(Comparison comparison, DType type);
  /// Return a loop for a type, or nullptr. They test the bits: -0.0 is zero, NaN is not.
  TruthRow (*all)(DType type);
  TruthRow (*any)(DType type);
  std::array<FillSet, 5> fill_set;
};

/// The table of the definitions. `compare` has nullptr for bool and the small floats, which are compared as
/// uint8 and float32; `all` and `any` have a loop for every type.
const CompareKernels& portable_compare_kernels();

/// The table that goes with the `Kernels` of this name. Precondition for using it: the processor has their
/// instruction set.
const CompareKernels& compare_kernels(std::string_view name);

/// The table that goes with `kernels()`.
const CompareKernels& compare_kernels();

/// The fastest loop there is; nullptr where no table has one.
TENSTRIDE_API CompareRow compare_row(Comparison comparison, DType type);
TruthRow all_row(DType type);
TruthRow any_row(DType type);

}  // namespace tenstride::elementwise
