// SPDX-License-Identifier: Apache-2.0
#include "io/facts/source_axes.hpp"

#include "io/facts/file_chain.hpp"

namespace tenstride::io {
namespace {

/// What an axis of `extent` indices is, where it is a part of one axis of the source.
std::optional<SourceAxis> source_axis(const IndexMap::Axis& axis, Index extent, const Dims& first,
                                      const Dims& shape) {
  if (!axis.source) return std::nullopt;
  return SourceAxis{*axis.source, first[*axis.source], axis.step, extent, shape[*axis.source]};
}

}  // namespace

ResultOrigin origin_of_result(const FileInfo& source, std::string_view chain) {
  FileInfo plain = source;
  plain.layout = row_major(source.layout.shape);
  const FileChain followed = follow(chain, plain);
  ResultOrigin result{.source = source,
                      .shape = followed.shape,
                      .dtype = followed.dtype,
                      .axes = SourceAxes(followed.shape.size()),
                      .reduction = followed.reduction,
                      .conversions = followed.conversions,
                      .obstacle = followed.obstacle,
                      .is_computed = followed.is_computed};
  if (!followed.obstacle.empty()) return result;
  const IndexMap& map = followed.map;
  const Dims& shape = source.layout.shape;
  for (std::size_t d = 0; d < result.axes.size(); ++d) {
    result.axes[d] = source_axis(map.axes[d], followed.shape[d], map.first, shape);
  }
  bool is_known = map.is_axis_wise();
  for (const auto& [axis, extent] : followed.reduced_axes) {
    result.reduced.push_back(source_axis(axis, extent, map.first, shape));
    is_known = is_known && result.reduced.back();
  }
  if (is_known) result.first = map.first;
  return result;
}

}  // namespace tenstride::io
