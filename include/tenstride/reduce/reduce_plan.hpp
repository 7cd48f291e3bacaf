// SPDX-License-Identifier: Apache-2.0
// How a reduction is carried out, as data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenstride/plan/copy_plan.hpp"
#include "tenstride/reduce/reduce.hpp"

namespace tenstride {

/// What is reduced: the axes that stay and the axes that go, both with the source's strides, in elements. The
/// offset of `results` is that of the source's first element.
struct ReduceProblem {
  Reduction reduction = Reduction::sum;
  DType dtype = DType::float32;
  Layout results;
  Layout reduced;
};

/// How a plan reads its source. "Packed" ways copy elements into the L1 cache, one behind the other, before
/// they are accumulated; "gapped" ones load whole vectors and mask or drop the elements between.
enum class ReduceWay : std::uint8_t {
  nothing,         ///< no result
  multiples,       ///< one element repeats: the result is a scaled copy of it
  runs,            ///< runs of elements, each into one accumulator
  gapped_runs,     ///< runs with small gaps between their elements or between short runs
  packed_runs,     ///< runs of elements that lie apart, or of a few elements
  rows,            ///< rows of results: a row of elements at a time into a row of accumulators
  gapped_rows,     ///< rows whose elements lie 2 to 8 elements apart
  packed_rows,     ///< rows of elements that lie apart
  pixels,          ///< a few results whose elements alternate, the channels of pixels; several as one row
  three_channels,  ///< rows of pixels of three channels, which are kept apart in registers
  pools,  ///< few rows and groups within them, as in pooling; accumulated and combined in the L1 cache
};

/// "nothing", "multiples", "runs", "gapped runs", …
TENSTRIDE_API std::string_view name(ReduceWay way);

/// How a reduction is carried out. `plan_reduction` makes it.
struct ReducePlan {
  /// What is computed: axes of results that repeat have one index here, and so have reduced axes whose
  /// repeated elements count once, or are counted by `repeats`.
  ReduceProblem problem;
  DType result_dtype = DType::float32;
  ReduceWay way = ReduceWay::nothing;
  /// Outermost first, those that are one loop merged. `src_stride` is in elements of the source; `dst_stride`
  /// of a result loop in accumulators, that of a reduction loop is 0.
  Loops result_loops;
  Loops reduction_loops;
  /// The first element that the loops visit, as an offset from storage element 0.
  Index src_offset = 0;
  Index accumulators = 0;
  Index per_accumulator = 0;
  /// Accumulators that are combined to a result: groups of `group` times `inner`. Example: (w,2,3) with the
  /// axis of 2 reduced is a row of w*2*3 accumulators with group 2 and inner 3.
  Index group = 1;
  Index inner = 1;
  /// The channels of pixels, and the distance between the channels that are results.
  Index channels = 1;
  Index channel_step = 1;
  /// Whether the reduction loops are the outer ones, so that memory is read in its order. Then `piece`
  /// elements of each result are accumulated at a time.
  bool is_reduction_outer = false;
  Index piece = 1;
  /// A thread computes a tile of accumulators at a time, or one of `cuts` parts of the elements of a tile.
  /// Both depend on the layouts alone, so that rounded results do not depend on the number of threads.
  Index tile = 1;
  Index cuts = 1;
  /// The most elements that are accumulated one after the other; more are halved, and the halves combined
  /// pairwise (Higham, "The accuracy of floating point summation", 1993).
  Index pairwise_from = 1;
  /// Whether results are written by streaming stores, and `Machine::streams` of the machine that the plan is
  /// for.
  bool streaming = false;
  MemoryStreams streams = MemoryStreams::several;
  /// Extents of the results that are computed together and then transposed into the result; empty where
  /// results are written in their order.
  Dims block;
  /// What sums are multiplied by: how often each element counts.
  Index repeats = 1;
  /// Whether results along axes that repeat are computed once and copied.
  bool is_expanded = false;

  /// The elements of a result.
  [[nodiscard]] Index reduced_count() const noexcept { return per_accumulator * group; }
  /// Several lines for people, the last without a newline. Example, means of float32 (64,512,100) over axis
  /// 1:
  /// ```
  /// mean of 3276800 elements float32 -> 6400 float32
  ///   way      rows, tiles of 1024, 4 cuts, ordinary stores
  ///   result   64   src stride 51200
  ///   result   100  src stride 1
  ///   reduced  512  src stride 100
  /// ```
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// Plans a reduction: of the ways, the first that the rules of `choose_way` take (docs/engine.md). Pure. The
/// way and the tiles of sums and products of floats decide how they are rounded, so they depend on the
/// layouts and the type alone, not on `options`. Pre: `reduced_dtype` does not refuse the pair of reduction
/// and type.
TENSTRIDE_API ReducePlan plan_reduction(const ReduceProblem& problem, const PlanOptions& options = {});

}  // namespace tenstride
