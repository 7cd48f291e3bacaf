// SPDX-License-Identifier: Apache-2.0
#include "io/plan/tile_choice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/plan/boxes.hpp"

namespace tenstride::io {
namespace {

/// A request for a run of a flat side costs as much as so many bytes.
constexpr double run_cost_nbytes = 16384;
/// A run lists the units of a tile and the chunks that it needs: more of them only where all units are in
/// memory at once anyway.
constexpr double max_listed_parts = 16384;
/// So many tiles or chunks along an axis are counted one by one.
constexpr Index max_counted = 100000;

/// Elements of a tile that lie one after the other in a flat side. `extent_of`: what the tile has of one of
/// the side's axes.
template <class ExtentOf>
double run_of(const ChunkSide& side, const ExtentOf& extent_of) {
  double run = 1;
  for (const Index own : side.fastest) {
    const auto axis = static_cast<std::size_t>(own);
    const Index extent = extent_of(axis);
    run *= static_cast<double>(extent);
    if (extent < side.grid.shape[axis]) break;
  }
  return run;
}

}  // namespace

TileChoices::TileChoices(const ChunkProblem& problem) : problem_(problem) {
  for (std::size_t axis = 0; axis < shape().size(); ++axis) axes_.push_back(choices_of(axis));
}

std::optional<TileChoice> TileChoices::cheapest(double nbytes) const {
  std::optional<TileChoice> best;
  for_each_tile([&](const TileChoice& found) {
    if (found.open_nbytes > nbytes) return;
    // Of equal ones the smaller: more of them overlap.
    if (!best || found.cost < best->cost * (1 - 1e-9) ||
        (found.cost <= best->cost && found.open_nbytes < best->open_nbytes)) {
      best = found;
    }
  });
  return best;
}

std::vector<Dims> TileChoices::large_ones(double nbytes, std::size_t count) const {
  double least = HUGE_VAL;
  for_each_tile([&](const TileChoice& found) {
    if (tile_nbytes(found.tile) <= nbytes) least = std::min(least, found.cost);
  });
  std::vector<std::pair<double, Dims>> good;
  for_each_tile([&](const TileChoice& found) {
    const double size = tile_nbytes(found.tile);
    if (size <= nbytes && found.cost <= 1.1 * least) good.emplace_back(size, found.tile);
  });
  std::stable_sort(good.begin(), good.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Dims> tiles;
  for (std::size_t i = 0; i < std::min(count, good.size()); ++i) tiles.push_back(good[i].second);
  return tiles;
}

double TileChoices::tile_nbytes(const Dims& tile) const {
  return box_nbytes(tile, problem_.dst.item);
}

double TileChoices::decoded_nbytes(const Dims& tile) const {
  double chunks = 1;
  for (std::size_t axis = 0; axis < tile.size(); ++axis) chunks *= touched_by(axis, tile[axis]);
  return chunks * src_chunk_nbytes();
}

double TileChoices::src_chunk_nbytes() const {
  return box_nbytes(problem_.src.is_flat ? Dims{} : problem_.src.grid.chunk, problem_.src.item);
}

Index TileChoices::unit(std::size_t axis) const {
  return problem_.dst.is_flat ? 1 : std::max<Index>(1, problem_.dst.grid.chunk[axis]);
}

/// Doubled from a unit on, and from what a chunk of the source has of the axis; always all of the axis.
TileChoices::Axis TileChoices::choices_of(std::size_t axis) const {
  const Index size = std::max<Index>(1, shape()[axis]), step = unit(axis);
  const Index whole = ceil_divide(size, step) * step;
  std::vector<Index> extents{whole};
  const Index chunk = chunk_extent(axis);
  const Index common = try_multiply(chunk / std::gcd(chunk, step), step).value_or(whole);
  for (const Index begin : {step, ceil_divide(chunk, step) * step, common}) {
    for (Index extent = begin; extent < whole; extent *= 2) extents.push_back(extent);
  }
  std::sort(extents.begin(), extents.end());
  extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
  Axis choices;
  choices.extents = extents;
  const Span whole_axis = is_flat() ? Span{} : whole_span(axis);
  for (const Index extent : extents) {
    choices.touched.push_back(touched_by(axis, extent));
    choices.tiles.push_back(static_cast<double>(ceil_divide(size, extent)));
    // A tile ends where a unit ends.
    Span span = whole_axis;
    span.all = static_cast<double>(ceil_divide(extent, step));
    span.open = std::min(span.open, span.all);
    span.kept = std::min(span.kept, span.open);
    choices.spans.push_back(span);
  }
  return choices;
}

/// Indices of the destination's axis that a chunk of the source has.
Index TileChoices::chunk_extent(std::size_t axis) const {
  const IndexMap::Axis& from = problem_.map.axes[axis];
  if (problem_.src.is_flat || !from.source) return 1;
  return ceil_divide(problem_.src.grid.chunk[*from.source], std::abs(from.step));
}

/// Chunks of the source along the axis, once for each tile that touches them; of very many tiles about so
/// many.
double TileChoices::touched_by(std::size_t axis, Index extent) const {
  const IndexMap::Axis& from = problem_.map.axes[axis];
  const Index size = shape()[axis], tiles = ceil_divide(size, extent);
  if (!from.source) return static_cast<double>(tiles);
  if (problem_.src.is_flat) return static_cast<double>(size);
  const Index chunk = problem_.src.grid.chunk[*from.source], first = problem_.map.first[*from.source];
  if (tiles > max_counted) {
    const double span = static_cast<double>(extent - 1) * static_cast<double>(std::abs(from.step));
    return static_cast<double>(tiles) *
           std::min(static_cast<double>(extent), 1 + span / static_cast<double>(chunk));
  }
  double touched = 0;
  for (Index begin = 0; begin < size; begin += extent) {
    const Index indices = std::min(size - begin, extent);
    const Index a = first + from.step * begin;
    const Index b = a + from.step * (indices - 1);
    // Long steps leave chunks out.
    touched += static_cast<double>(std::min(indices, std::max(a, b) / chunk - std::min(a, b) / chunk + 1));
  }
  return touched;
}

/// The first index of the destination after `at` that another chunk of the source has.
Index TileChoices::end_of_chunk(std::size_t axis, Index at) const {
  const IndexMap::Axis& from = problem_.map.axes[axis];
  const Index chunk = problem_.src.grid.chunk[*from.source], step = std::abs(from.step);
  const Index within = (problem_.map.first[*from.source] + from.step * at) % chunk;
  return at + (from.step > 0 ? ceil_divide(chunk - within, step) : within / step + 1);
}

/// Chunks begin and end within units in the same way again after some of them; where those are too many to be
/// counted, in the way that opens the most units. Pre: neither side is flat.
TileChoices::Span TileChoices::whole_span(std::size_t axis) const {
  const IndexMap::Axis& from = problem_.map.axes[axis];
  const Index size = shape()[axis], own = unit(axis);
  const auto all = static_cast<double>(ceil_divide(size, own));
  if (!from.source) return {all, all, all};
  const Index chunk = problem_.src.grid.chunk[*from.source];
  // Of the source's axis. A unit of more than 2^63 of it is the only one.
  const Index span = try_multiply(std::abs(from.step), own).value_or(chunk);
  const Index period = span / std::gcd(chunk, span);
  if (std::min(period, size) > max_counted) {
    const Index open = (std::max<Index>(chunk_extent(axis), 2) - 2) / own + 2;
    return {all, static_cast<double>(open), 2};
  }
  Index max_open = 0, max_kept = 0, last_before = -1;
  Index at = 0;
  for (Index count = 0; at < size && count < period + 2; ++count) {
    const Index next = std::min(size, end_of_chunk(axis, at));
    const Index first = at / own, last = (next - 1) / own;
    const Index open = last - first + 1;
    const bool has_begun = first == last_before;
    const bool goes_on = next < size && next % own != 0;
    max_open = std::max(max_open, open);
    // One unit may have begun and go on.
    max_kept = std::max(max_kept, std::min<Index>(open, (has_begun ? 1 : 0) + (goes_on ? 1 : 0)));
    last_before = last;
    at = next;
  }
  return {all, static_cast<double>(max_open), static_cast<double>(max_kept)};
}

template <class Visit>
void TileChoices::for_each_tile(const Visit& visit) const {
  Choice at(axes_.size(), 0);
  TileChoice candidate;
  candidate.tile = shape();
  for (;;) {
    for (std::size_t axis = 0; axis < at.size(); ++axis) candidate.tile[axis] = axes_[axis].extents[at[axis]];
    candidate.cost = cost_of(at, candidate.tile);
    choose_order(at, candidate);
    visit(candidate);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == axes_[axis - 1].extents.size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

double TileChoices::cost_of(const Choice& at, const Dims& tile) const {
  double chunks = 1, tiles = 1;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    chunks *= axes_[axis].touched[at[axis]];
    tiles *= axes_[axis].tiles[at[axis]];
  }
  double cost = chunks * src_chunk_nbytes();
  const double elements = tiles * tile_nbytes(tile) / static_cast<double>(problem_.dst.item);
  if (!problem_.src.fastest.empty()) {
    const double run = run_of(problem_.src, [&](std::size_t axis) -> Index {
      for (std::size_t d = 0; d < problem_.map.axes.size(); ++d) {
        if (problem_.map.axes[d].source == axis) return tile[d] * std::abs(problem_.map.axes[d].step);
      }
      return 1;
    });
    cost += elements / run * run_cost_nbytes;
  }
  if (!problem_.dst.fastest.empty()) {
    const double run = run_of(problem_.dst, [&](std::size_t axis) { return tile[axis]; });
    cost += elements / run * run_cost_nbytes;
  }
  return cost;
}

/// Units of a tile that are in memory at once, at most. Those that several chunks along an axis have are kept
/// while the chunks of the faster axes are read; of the others only those that the chunk at hand has.
double TileChoices::open_units(const Choice& at, const Dims& order) const {
  double open = 1, all = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    const Span& span = axes_[axis].spans[at[axis]];
    open = span.kept * all + (span.open - span.kept) * open;
    all *= span.all;
  }
  return open;
}

/// Takes one axis as the slowest and the others as they are: that with the fewest units open at once. Parts
/// of a flat side are cut when the tile is known, and read as they stand in the file: all units count.
void TileChoices::choose_order(const Choice& at, TileChoice& candidate) const {
  candidate.order = {};
  candidate.open_nbytes = tile_nbytes(candidate.tile);
  if (is_flat()) return;
  double units = 1, chunks = 1;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    units *= axes_[axis].spans[at[axis]].all;
    chunks *= std::ceil(axes_[axis].touched[at[axis]] / axes_[axis].tiles[at[axis]]);
  }
  if (std::max(units, chunks) > max_listed_parts) return;
  const double unit_nbytes = candidate.open_nbytes / units;
  for (std::size_t slowest = 0; slowest < at.size(); ++slowest) {
    Dims order{static_cast<Index>(slowest)};
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (axis != slowest) order.push_back(static_cast<Index>(axis));
    }
    const double nbytes = unit_nbytes * open_units(at, order);
    if (nbytes >= candidate.open_nbytes) continue;
    candidate.open_nbytes = nbytes;
    candidate.order = order;
  }
}

}  // namespace tenstride::io
