// SPDX-License-Identifier: Apache-2.0
#include "io/chunks/axis_map.hpp"

#include <cstdlib>

namespace tenstride::io {
namespace {

/// The axis that a stride of a row-major layout steps along: the one of the longest stride that divides it.
/// Axes of size 1 have no steps.
std::optional<std::size_t> axis_of(const Dims& shape, const Dims& rows, Index stride) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1 && rows[axis] <= std::abs(stride)) {
      if (stride % rows[axis] != 0) return std::nullopt;
      return axis;
    }
  }
  return std::nullopt;
}

}  // namespace

AxisMap identity_map(std::size_t rank) {
  AxisMap map;
  map.first = Dims::filled(rank, 0);
  for (std::size_t axis = 0; axis < rank; ++axis) map.axes.push_back({axis, 1});
  return map;
}

std::optional<AxisMap> axis_map_of(const FileChain& chain, const Dims& shape) {
  if (!chain.obstacle.empty() || chain.copies.size() != 1 || chain.reduction) return std::nullopt;
  const Dims rows = row_major_strides(shape);
  AxisMap map;
  map.axes.resize(chain.shape.size());
  map.first = shape;
  const std::optional<ChainCopy> copy = split_along(chain.copies[0], chain.shape);
  if (!copy) return std::nullopt;
  Index rest = copy->src.offset;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    map.first[axis] = rows[axis] == 0 ? 0 : rest / rows[axis];
    rest -= map.first[axis] * rows[axis];
  }
  const Dims result_rows = row_major_strides(chain.shape);
  std::vector<bool> is_taken(shape.size(), false);
  for (std::size_t d = 0; d < copy->dst.rank(); ++d) {
    const Index extent = copy->dst.shape[d], stride = copy->src.strides[d];
    if (extent <= 1) continue;
    // The axis of the result that this part is the whole of.
    std::size_t result_axis = chain.shape.size();
    for (std::size_t axis = 0; axis < chain.shape.size(); ++axis) {
      if (result_rows[axis] == copy->dst.strides[d] && chain.shape[axis] == extent) result_axis = axis;
    }
    if (result_axis == chain.shape.size()) return std::nullopt;
    if (stride == 0) continue;
    const std::optional<std::size_t> source = axis_of(shape, rows, stride);
    if (!source || is_taken[*source]) return std::nullopt;
    is_taken[*source] = true;
    map.axes[result_axis] = {source, stride / rows[*source]};
    // No step may lead into the next index of a slower axis.
    const Index last = map.first[*source] + map.axes[result_axis].step * (extent - 1);
    if (last < 0 || last >= shape[*source]) return std::nullopt;
  }
  return map;
}

}  // namespace tenstride::io
