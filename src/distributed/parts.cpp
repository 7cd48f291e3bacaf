// SPDX-License-Identifier: Apache-2.0
#include "distributed/parts.hpp"

#include <algorithm>

#include "tenstride/layout/layout.hpp"

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

/// Where indices of an axis are among those of some ranges. Asked for in ascending order.
class PositionFinder {
 public:
  explicit PositionFinder(const Ranges& ranges) : ranges_(ranges) {}
  Index operator()(Index index) {
    while (ranges_[at_].end <= index) passed_ += ranges_[at_++].size();
    return passed_ + index - ranges_[at_].begin;
  }

 private:
  const Ranges& ranges_;
  std::size_t at_ = 0;
  Index passed_ = 0;
};

bool has_same_loops(const AxisNest& a, const AxisNest& b) {
  return a.counts == b.counts && a.steps == b.steps;
}

std::array<Index, 2> step_between(const AxisNest& a, const AxisNest& b) {
  return {b.first[0] - a.first[0], b.first[1] - a.first[1]};
}

Dims with_front(Index front, const Dims& rest) {
  Dims all{front};
  for (const Index value : rest) all.push_back(value);
  return all;
}

/// Nests that differ in where they begin, always as far apart, become one with a loop around them.
std::vector<AxisNest> joined(const std::vector<AxisNest>& nests) {
  std::vector<AxisNest> result;
  for (std::size_t i = 0; i < nests.size();) {
    std::size_t end = i + 1;
    while (end < nests.size() && has_same_loops(nests[i], nests[end]) &&
           step_between(nests[end - 1], nests[end]) == step_between(nests[i], nests[i + 1])) {
      ++end;
    }
    AxisNest nest = nests[i];
    if (end - i > 1) {
      const std::array<Index, 2> step = step_between(nests[i], nests[i + 1]);
      nest.counts = with_front(static_cast<Index>(end - i), nest.counts);
      for (const std::size_t side : {0U, 1U}) nest.steps[side] = with_front(step[side], nest.steps[side]);
    }
    result.push_back(std::move(nest));
    i = end;
  }
  return result;
}

/// A view of the indices of one nest along each axis.
Tensor view_of(const Tensor& tensor, const std::vector<AxisNest>& nests, std::size_t side) {
  Dims shape;
  Dims strides;
  Index offset = tensor.storage_offset();
  for (std::size_t d = 0; d < nests.size(); ++d) {
    const Index stride = tensor.strides()[d];
    offset += nests[d].first[side] * stride;
    for (std::size_t loop = 0; loop < nests[d].counts.size(); ++loop) {
      shape.push_back(nests[d].counts[loop]);
      strides.push_back(nests[d].steps[side][loop] * stride);
    }
  }
  return tensor.as_strided(shape, strides, offset);
}

}  // namespace

void each_box(const Dims& shape, Index first, Index count, const std::function<void(const Box&)>& f) {
  Box box(shape.size());
  add_boxes(shape, row_major_strides(shape), 0, first, first + count, box, f);
}

Holding within(const Holding& holding, const Box& box) {
  Holding part;
  for (std::size_t d = 0; d < box.size(); ++d) {
    Ranges& ranges = part.ranges.emplace_back();
    Index passed = 0;
    for (const IndexRange& range : holding.ranges[d]) {
      const Index first = std::max(box[d].begin - passed, Index{0});
      const Index last = std::min(box[d].end - passed, range.size());
      if (first < last) ranges.push_back({range.begin + first, range.begin + last});
      passed += range.size();
    }
  }
  return part;
}

std::vector<AxisNest> axis_nests(const Ranges& part, const Ranges& a, const Ranges& b,
                                 std::size_t max_loops) {
  PositionFinder in_a(a);
  PositionFinder in_b(b);
  std::vector<AxisNest> nests;
  for (const IndexRange& range : part)
    nests.push_back({{in_a(range.begin), in_b(range.begin)}, {range.size()}, {Dims{1}, Dims{1}}});
  for (std::size_t loops = 1; loops < max_loops; ++loops) {
    std::vector<AxisNest> fewer = joined(nests);
    if (fewer.size() == nests.size()) break;
    nests = std::move(fewer);
  }
  return nests;
}

void each_common_part(const Holding& part, const Held& a, const Held& b,
                      const std::function<void(const Tensor& of_a, const Tensor& of_b)>& f) {
  const std::size_t axes = part.ranges.size();
  std::vector<std::vector<AxisNest>> nests;
  for (std::size_t d = 0; d < axes; ++d)
    nests.push_back(axis_nests(part.ranges[d], a.holding.ranges[d], b.holding.ranges[d], max_rank / axes));
  std::vector<AxisNest> chosen(axes);
  const std::function<void(std::size_t)> from = [&](std::size_t d) {
    if (d == axes) return f(view_of(a.tensor, chosen, 0), view_of(b.tensor, chosen, 1));
    for (const AxisNest& nest : nests[d]) {
      chosen[d] = nest;
      from(d + 1);
    }
  };
  from(0);
}

}  // namespace tenstride::distributed
