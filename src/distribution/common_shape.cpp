// SPDX-License-Identifier: Apache-2.0
#include "distribution/common_shape.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "distribution/divisions.hpp"
#include "tenstride/distribution/local_view.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::distributed {
namespace {

using Ranges = std::vector<IndexRange>;
using Lengths = std::vector<Index>;

/// The lengths of what steps along each axis pass, in row-major positions.
void add_strides(const Distribution& distribution, Lengths& lengths) {
  const Dims strides = row_major_strides(distribution.shape);
  lengths.insert(lengths.end(), strides.begin(), strides.end());
}

void add_widths(const Distribution& distribution, Lengths& lengths) {
  for (const MeshDivision& each : divisions_of(distribution)) {
    if (each.division && each.division->width != 0) lengths.push_back(each.division->width);
  }
}

/// The shape whose axes have these strides; nothing where one does not divide the next.
std::optional<Dims> shape_of(Lengths lengths, Index total) {
  lengths.insert(lengths.end(), {1, total});
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  Dims shape;
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
    if (lengths[i] % lengths[i + 1] != 0) return std::nullopt;
    shape.push_back(lengths[i] / lengths[i + 1]);
  }
  return shape;
}

/// Both as local views of one shape, which splits the axes of both.
std::optional<CommonShape> split_axes(const Distribution& a, const Distribution& b, const Lengths& lengths,
                                      Index total) {
  const std::optional<Dims> shape = shape_of(lengths, total);
  if (!shape || shape->size() > max_rank) return std::nullopt;
  const auto a_view = try_local_view(a, *shape);
  const auto b_view = try_local_view(b, *shape);
  if (!a_view || !b_view) return std::nullopt;
  return CommonShape{*shape, all_holdings(*a_view), all_holdings(*b_view), true};
}

/// The positions of what a rank holds, as ranges.
class Runs {
 public:
  Runs(const Holding& holding, const Dims& shape) : holding_(holding), shape_(shape), last_(shape.size()) {
    while (last_ > 0 && is_whole(last_ - 1)) inner_ *= shape_[--last_];
    add(0, 0);
  }
  Ranges runs;

 private:
  [[nodiscard]] bool is_whole(std::size_t d) const { return holding_.ranges[d] == Ranges{{0, shape_[d]}}; }

  void add(std::size_t d, Index before) {
    if (last_ == 0) {
      runs.push_back({0, inner_});
      return;
    }
    for (const IndexRange& range : holding_.ranges[d]) {
      if (d + 1 == last_) {
        add_run({(before + range.begin) * inner_, (before + range.end) * inner_});
        continue;
      }
      for (Index i = range.begin; i < range.end; ++i) add(d + 1, (before + i) * shape_[d + 1]);
    }
  }
  void add_run(const IndexRange& run) {
    if (!runs.empty() && runs.back().end == run.begin) {
      runs.back().end = run.end;
    } else {
      runs.push_back(run);
    }
  }

  const Holding& holding_;
  const Dims& shape_;
  std::size_t last_;  ///< behind the last axis of which the rank holds a part
  Index inner_ = 1;
};

/// Elements counted one after another, as many at a time as all ranges begin and end at.
CommonShape counted(const Distribution& a, const Distribution& b, Index total) {
  CommonShape common{{}, all_holdings(a), all_holdings(b), false};
  Index piece = total;
  const auto to_runs = [&](Holding& holding, const Dims& shape) {
    holding.ranges = {Runs(holding, shape).runs};
    for (const IndexRange& run : holding.ranges[0]) piece = std::gcd(piece, std::gcd(run.begin, run.end));
  };
  for (Holding& holding : common.a) to_runs(holding, a.shape);
  for (Holding& holding : common.b) to_runs(holding, b.shape);
  common.shape = {total / piece, piece};
  for (std::vector<Holding>* side : {&common.a, &common.b}) {
    for (Holding& holding : *side) {
      for (IndexRange& run : holding.ranges[0]) run = {run.begin / piece, run.end / piece};
      holding.ranges.push_back({{0, piece}});
    }
  }
  return common;
}

}  // namespace

std::vector<Holding> all_holdings(const Distribution& distribution) {
  std::vector<Holding> holdings;
  const Index ranks = distribution.mesh.size();
  for (Index rank = 0; rank < ranks; ++rank) holdings.push_back(distribution.held_by(rank));
  return holdings;
}

CommonShape common_shape(const Distribution& a, const Distribution& b) {
  const Index total = count_elements(a.shape);
  Lengths lengths;
  add_strides(a, lengths);
  add_strides(b, lengths);
  if (auto found = split_axes(a, b, lengths, total)) return *std::move(found);
  add_widths(a, lengths);
  add_widths(b, lengths);
  if (auto found = split_axes(a, b, lengths, total)) return *std::move(found);
  return counted(a, b, total);
}

Holding both(const Holding& a, const Holding& b) {
  Holding common;
  for (std::size_t d = 0; d < a.ranges.size(); ++d) {
    Ranges axis;
    for (std::size_t i = 0, k = 0; i < a.ranges[d].size() && k < b.ranges[d].size();) {
      const IndexRange& x = a.ranges[d][i];
      const IndexRange& y = b.ranges[d][k];
      const IndexRange shared{std::max(x.begin, y.begin), std::min(x.end, y.end)};
      if (shared.begin < shared.end) axis.push_back(shared);
      if (x.end < y.end) {
        ++i;
      } else {
        ++k;
      }
    }
    common.ranges.push_back(std::move(axis));
  }
  return common;
}

Index count_of(const Holding& holding) {
  return count_elements(holding.local_shape());
}

}  // namespace tenstride::distributed
