// SPDX-License-Identifier: Apache-2.0
#include "distributed/parts.hpp"

#include <algorithm>

#include "tenstride/layout.hpp"

namespace tenstride::distributed {
namespace {

using Ranges = std::vector<IndexRange>;

/// Boxes of positions [first, last) among those of the axes from `d` on; `box` has the axes before.
void add_boxes(const Dims& shape, const Dims& strides, std::size_t d, Index first, Index last, Box& box,
               const std::function<void(const Box&)>& f) {
  if (first >= last) return;
  if (d == shape.size()) return f(box);
  const Index step = strides[d];
  const auto part_of_one = [&](Index index, Index from, Index to) {
    box[d] = {index, index + 1};
    add_boxes(shape, strides, d + 1, from, to, box, f);
  };
  const Index begin = first / step;
  const Index end = (last - 1) / step;  // inclusive
  if (begin == end && (first % step != 0 || last % step != 0))
    return part_of_one(begin, first - begin * step, last - begin * step);
  const Index whole_begin = first % step == 0 ? begin : begin + 1;
  const Index whole_end = last / step;
  if (whole_begin != begin) part_of_one(begin, first - begin * step, step);
  if (whole_begin < whole_end) {
    box[d] = {whole_begin, whole_end};
    for (std::size_t inner = d + 1; inner < shape.size(); ++inner) box[inner] = {0, shape[inner]};
    f(box);
  }
  if (last % step != 0) part_of_one(end, 0, last - end * step);
}

/// A range of the packed axis, and where the same indices are in the local one.
struct AxisPiece {
  IndexRange packed;
  IndexRange local;
};

/// The pieces of packed indices [range) of an axis.
std::vector<AxisPiece> pieces_of(const Ranges& part, const Ranges& whole, const IndexRange& range) {
  std::vector<AxisPiece> pieces;
  Index packed = 0;
  Index local = 0;
  std::size_t at = 0;
  for (const IndexRange& indices : part) {
    while (whole[at].end <= indices.begin) local += whole[at++].size();
    const Index first = std::max(range.begin - packed, Index{0});
    const Index last = std::min(range.end - packed, indices.size());
    if (first < last) {
      const Index start = local + indices.begin - whole[at].begin;
      pieces.push_back({{packed + first, packed + last}, {start + first, start + last}});
    }
    packed += indices.size();
  }
  return pieces;
}

}  // namespace

void each_box(const Dims& shape, Index first, Index count, const std::function<void(const Box&)>& f) {
  Box box(shape.size());
  add_boxes(shape, row_major_strides(shape), 0, first, first + count, box, f);
}

void each_local_box(const Holding& part, const Holding& whole, const Box& box,
                    const std::function<void(const Box& packed, const Box& local)>& f) {
  std::vector<std::vector<AxisPiece>> axes;
  for (std::size_t d = 0; d < box.size(); ++d)
    axes.push_back(pieces_of(part.ranges[d], whole.ranges[d], box[d]));
  Box packed(box.size());
  Box local(box.size());
  const std::function<void(std::size_t)> from = [&](std::size_t d) {
    if (d == axes.size()) return f(packed, local);
    for (const AxisPiece& piece : axes[d]) {
      packed[d] = piece.packed;
      local[d] = piece.local;
      from(d + 1);
    }
  };
  from(0);
}

}  // namespace tenstride::distributed
