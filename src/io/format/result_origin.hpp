// SPDX-License-Identifier: Apache-2.0
// What became of each axis of a tensor on the way from a file to a result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tenstride/io/file.hpp"
#include "tenstride/reduce/reduce.hpp"

namespace tenstride::io {

/// Which indices of an axis of the source an axis of the result has.
/// Example: x[2:8:3] of an axis 0 of 10 indices is {0, 2, 3, 2, 10}: its indices 2 and 5.
struct SourceAxis {
  std::size_t axis = 0;
  /// The index of the source that the result's index 0 is, and the step to the next; negative where the axis
  /// is flipped.
  Index first = 0;
  Index step = 1;
  /// Indices of the result's axis, and of the source's.
  Index extent = 0;
  Index size = 0;

  [[nodiscard]] bool is_whole() const { return first == 0 && step == 1 && extent == size; }
  friend auto operator<=>(const SourceAxis&, const SourceAxis&) = default;
};

/// One for each axis of a result; nothing for an axis that is new, or made of several axes of the source.
using SourceAxes = std::vector<std::optional<SourceAxis>>;

/// What a chain makes of a tensor of a file.
struct ResultOrigin {
  FileInfo source;
  Dims shape;
  DType dtype = DType::float32;
  SourceAxes axes;
  /// What was reduced, where there is a reduction.
  SourceAxes reduced{};
  /// For each axis of the source the index that the result's first element has; nothing where axes are
  /// merged.
  std::optional<Dims> first{};
  /// Between the source and the result, where there is one.
  std::optional<Reduction> reduction{};
  std::vector<DType> conversions{};
  /// What the chain does beside moving, converting and once reducing elements; empty where it does no more.
  std::string obstacle{};
  /// Whether an element of the result may be none of the source's, moved and converted; of what is reduced,
  /// too.
  bool is_computed = false;
  /// Whether elements are scaled and shifted behind the chain.
  bool is_scaled = false;

  /// The axis of the result that is the source's axis or a part of it.
  [[nodiscard]] std::optional<std::size_t> place_of(std::size_t axis) const;
  /// What of the source's axis was reduced; null where it was not.
  [[nodiscard]] const SourceAxis* reduced_axis(std::size_t axis) const;
  /// Whether all axes of the source are axes of the result as they are, in any order.
  [[nodiscard]] bool has_whole_axes() const;
  /// Whether all axes of the source are axes of the result at their own places, with no axis beside them.
  [[nodiscard]] bool has_same_axes() const;
};

/// Whether elements are other numbers than those of the source: "elements are reduced"; empty where they are
/// not.
std::string change_of_elements(const ResultOrigin& result);

/// "axis lat", "axis 1" where it has no name.
std::string axis_text(const FileInfo& source, std::size_t axis);

/// What became of an axis of the source: "axis lat is flipped"; empty where it is whole.
std::string change_of_axis(const ResultOrigin& result, std::size_t axis);

/// What became of the first axis that is not whole, or that the axes are others beside it: "axes are
/// permuted"; empty where they are the same.
std::string change_of_axes(const ResultOrigin& result);

}  // namespace tenstride::io
