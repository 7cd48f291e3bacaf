// SPDX-License-Identifier: Apache-2.0
#include "io/ends/part_source.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenstride::io {

std::vector<SourcePart> PartSource::parts(const Box& tile) const {
  std::vector<SourcePart> parts;
  for (Box& stored : reader_.parts(needed_by(tile))) {
    // Of a step no element may lie in it.
    if (std::optional<Box> fed = fed_by(stored, tile)) parts.push_back({*std::move(fed), std::move(stored)});
  }
  std::stable_sort(parts.begin(), parts.end(), [&](const SourcePart& a, const SourcePart& b) {
    return is_read_before(a.stored, b.stored);
  });
  return parts;
}

LoadedPart PartSource::read(const SourcePart& part, std::vector<std::byte>& buffer) {
  const std::size_t nbytes = reader_.nbytes(part.stored);
  if (buffer.size() < nbytes) buffer.resize(nbytes);
  std::uint64_t read = 0;
  const Layout stored = reader_.read(part.stored, std::span(buffer).first(nbytes), read);
  moved_.add_read(read, nbytes);
  return {part.box, buffer.data(), layout_of(part, stored)};
}

bool PartSource::is_read_before(const Box& a, const Box& b) const {
  for (const Index number : order_) {
    const IndexMap::Axis& from = map_.axes[static_cast<std::size_t>(number)];
    if (!from.source) continue;
    const Index i = a.first[*from.source], j = b.first[*from.source];
    if (i != j) return from.step > 0 ? i < j : i > j;
  }
  return false;
}

/// What the source must have read for a box of the pass.
Box PartSource::needed_by(const Box& box) const {
  Box needed{map_.first, Dims::filled(map_.first.size(), 1)};
  for (std::size_t d = 0; d < box.first.size(); ++d) {
    const IndexMap::Axis& from = map_.axes[d];
    if (!from.source) continue;
    const Index a = map_.first[*from.source] + from.step * box.first[d];
    const Index b = a + from.step * (box.extents[d] - 1);
    needed.first[*from.source] = std::min(a, b);
    needed.extents[*from.source] = std::max(a, b) - std::min(a, b) + 1;
  }
  return needed;
}

/// What of a box of the pass comes from a part of the source; nothing where none does.
std::optional<Box> PartSource::fed_by(const Box& part, const Box& box) const {
  Box fed = box;
  for (std::size_t d = 0; d < box.first.size(); ++d) {
    const IndexMap::Axis& from = map_.axes[d];
    if (!from.source) continue;
    const Index origin = map_.first[*from.source], step = std::abs(from.step);
    const Index low = part.first[*from.source], high = low + part.extents[*from.source] - 1;
    // Indices i of the pass with low <= origin + step * i <= high, or with step negated.
    const Index near = from.step > 0 ? low - origin : origin - high;
    const Index far = from.step > 0 ? high - origin : origin - low;
    if (far < 0) return std::nullopt;
    const Index first = std::max(box.first[d], near <= 0 ? 0 : ceil_divide(near, step));
    const Index last = std::min(box.first[d] + box.extents[d] - 1, far / step);
    if (last < first) return std::nullopt;
    fed.first[d] = first;
    fed.extents[d] = last - first + 1;
  }
  return fed;
}

/// The elements of a part, with the axes of the pass.
Layout PartSource::layout_of(const SourcePart& part, const Layout& stored) const {
  Layout layout{part.box.extents, part.box.extents, stored.offset};
  Dims at = map_.first;
  for (std::size_t d = 0; d < part.box.first.size(); ++d) {
    const IndexMap::Axis& from = map_.axes[d];
    layout.strides[d] = from.source ? stored.strides[*from.source] * from.step : 0;
    if (from.source) at[*from.source] += from.step * part.box.first[d];
  }
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    layout.offset += (at[axis] - part.stored.first[axis]) * stored.strides[axis];
  }
  return layout;
}

}  // namespace tenstride::io
