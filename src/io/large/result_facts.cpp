// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/result_facts.hpp"

#include <algorithm>
#include <cstdlib>

#include "io/format/format.hpp"
#include "io/large/file_chain.hpp"

namespace tenstride::io {
namespace {

/// Which part of a source's axis may be taken for the axis: any (a slice, every second, backwards) or all of
/// it.
enum class AxisPart : unsigned char { any, whole };

/// The source's axis with the longest stride that fits into that of a copy of `extent` elements.
std::optional<std::size_t> axis_of_stride(const Layout& source, Index stride, Index extent, AxisPart part) {
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < source.rank(); ++axis) {
    const Index own = source.strides[axis];
    if (own > std::abs(stride) || source.shape[axis] <= 1) continue;
    if (!found || own > source.strides[*found]) found = axis;
  }
  if (!found) return std::nullopt;
  const Index own = source.strides[*found], size = source.shape[*found];
  // Elements further away are those of the next axis: axes that a reshape joined.
  const bool is_within = stride % own == 0 && (extent - 1) * (std::abs(stride) / own) < size;
  const bool is_whole = stride == own && extent == size;
  return is_within && (is_whole || part == AxisPart::any) ? found : std::nullopt;
}

/// Parts of one axis that are several are none of them the axis.
void forget_repeated(SourceAxes& axes) {
  const SourceAxes found = axes;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (std::count(found.begin(), found.end(), found[d]) > 1) axes[d].reset();
  }
}

/// For each axis of what a chain gives, the axis of a row-major source that it is.
SourceAxes source_axes(const FileChain& chain, const Layout& source, AxisPart part) {
  SourceAxes axes(chain.shape.size());
  if (!chain.obstacle.empty() || chain.copies.size() != 1 || chain.reduction) return axes;
  const std::optional<ChainCopy> copy = split_along(chain.copies[0], chain.shape);
  if (!copy) return axes;
  const Dims rows = row_major_strides(chain.shape);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (std::size_t d = 0; d < copy->dst.rank(); ++d) {
      const bool is_whole = copy->dst.strides[d] == rows[axis] && copy->dst.shape[d] == chain.shape[axis];
      if (!is_whole || copy->src.strides[d] == 0) continue;
      axes[axis] = axis_of_stride(source, copy->src.strides[d], copy->src.shape[d], part);
    }
  }
  forget_repeated(axes);
  return axes;
}

/// A tensor like that of the file, but with no axis of size 1: those cannot be told by strides.
FileInfo without_short_axes(const FileInfo& source) {
  FileInfo longer = source;
  Dims shape = source.layout.shape;
  for (Index& size : shape) size = std::max<Index>(size, 2);
  longer.layout = row_major(shape);
  return longer;
}

SourceAxes axes_of_result(const FileInfo& source, std::string_view chain, AxisPart part) {
  FileInfo plain = source;
  plain.layout = row_major(source.layout.shape);
  const FileChain real = follow(chain, plain);
  const FileInfo longer = without_short_axes(source);
  try {
    // A chain that names sizes fails with others, or gives another number of axes.
    const FileChain followed = follow(chain, longer);
    if (followed.shape.size() == real.shape.size()) return source_axes(followed, longer.layout, part);
  } catch (const Error&) {
  }
  return source_axes(real, plain.layout, part);
}

/// Whether "an element means scale * x + shift" is true of the result, too: always of elements that are
/// moved, of reduced ones where scaling before and behind is the same.
bool keeps_scaling(const FileInfo& source, const std::optional<Reduction>& reduction) {
  if (!reduction || !source.is_scaled()) return true;
  if (*reduction == Reduction::sum) return source.shift == 0;
  if (*reduction == Reduction::min || *reduction == Reduction::max) return source.scale > 0;
  return *reduction == Reduction::mean;
}

}  // namespace

ResultFacts facts_of_result(const FileInfo& source, std::string_view chain, FileKind destination) {
  if (source.axis_names.empty() && source.attributes.empty()) return {};
  const bool keeps_attributes =
      source.kind == destination || format_of(destination).permute_attributes == nullptr;
  const auto permute = format_of(source.kind).permute_attributes;
  try {
    ResultFacts facts;
    const SourceAxes axes = axes_of_result(source, chain, AxisPart::any);
    if (!source.axis_names.empty()) {
      for (const std::optional<std::size_t>& axis : axes) {
        facts.axis_names.push_back(axis ? source.axis_names[*axis] : std::string());
      }
    }
    if (!keeps_attributes) return facts;
    const bool is_scaled = keeps_scaling(source, follow(chain, source).reduction);
    const std::string attributes = is_scaled ? source.attributes : with_scaling_applied(source).attributes;
    if (attributes.empty()) return facts;
    // Attributes of a part would be others: of an affine transform, where the part begins.
    facts.attributes =
        permute == nullptr ? attributes : permute(attributes, axes_of_result(source, chain, AxisPart::whole));
    return facts;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace tenstride::io
